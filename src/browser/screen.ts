import { buildScreen } from './build-screen.js'
import { live } from './live.js'
import type { Mount } from './mount.js'
import { takeFromDevice } from './one-time-code.js'
import { saysDone } from './outcome.js'

/** What a dialog shows, until the next screen takes its place. */
export interface Screen {
  /** The proof was given already. */
  readonly isDone: boolean
  /** Whether a code can be typed. */
  readonly takesCode: boolean
  /** Whether a link leads to a place of the dialog. */
  leadsHere(link: HTMLAnchorElement): boolean
  /** Network or server cannot be reached; what was typed stays. */
  showUnreachable(): void
  close(): void
}

export function openScreen(dialog: HTMLDialogElement, html: string, mount: Mount): Screen {
  const end = new AbortController()
  const find = <Found extends HTMLElement>(selector: string) => dialog.querySelector<Found>(selector)
  dialog.replaceChildren(buildScreen(html, mount))
  dialog.ariaLabel = find('h1')?.textContent ?? ''
  live(dialog, end.signal)
  if (!dialog.open) dialog.showModal()
  const start = find('[autofocus]') ?? find('form:not([method=dialog]) button:enabled, a')
  start?.focus()
  // WebKit takes no notice of what lies over the edge (WCAG 2.2, 2.4.11).
  dialog.addEventListener('focusin', ({ target }) => reveal(target), { signal: end.signal })
  const code = find<HTMLInputElement>('[autocomplete=one-time-code]')
  takeFromDevice(code, end.signal)

  const isDone = saysDone(html)
  return {
    isDone,
    takesCode: code !== null,
    leadsHere(link) {
      const href = link.getAttribute('href')
      if (href === null) return false
      return href.startsWith('#') || isDone || mount.below(href) !== undefined
    },
    showUnreachable() {
      const notice = find('[data-unreachable]')
      if (notice === null) return
      // One place for errors: what was wrong before is not what is wrong now.
      const before = find('#problem')
      if (before !== null) before.hidden = true
      notice.hidden = false
      notice.focus()
    },
    close: () => end.abort(),
  }
}

/** Scrolls as far as it takes to see an element beside what stays at the edge. */
export function reveal(element: EventTarget | null): void {
  if (element instanceof Element) element.scrollIntoView({ block: 'nearest' })
}
