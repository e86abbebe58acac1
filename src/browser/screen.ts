import { buildScreen } from './build-screen.js'
import { live } from './live.js'
import type { Mount } from './mount.js'
import { takeFromDevice } from './one-time-code.js'
import { saysDone } from './outcome.js'
import { offerPasskey } from './passkey.js'

/** Content of a dialog until the next screen replaces it. */
export interface Screen {
  /** True if the code was already entered. */
  readonly isDone: boolean
  /** True if a code can be entered. */
  readonly takesCode: boolean
  /** Returns whether the dialog can show the target of a link. */
  leadsHere(link: HTMLAnchorElement): boolean
  /** Shows that the server cannot be reached. The entered text stays. */
  showUnreachable(): void
  close(): void
}

export function openScreen(dialog: HTMLDialogElement, html: string, mount: Mount): Screen {
  const end = new AbortController()
  const find = <Found extends HTMLElement>(selector: string) => dialog.querySelector<Found>(selector)
  dialog.replaceChildren(buildScreen(html, mount))
  dialog.ariaLabel = find('h1')?.textContent ?? ''
  live(dialog, end.signal)
  offerPasskey(dialog, end.signal)
  if (!dialog.open) dialog.showModal()
  const start = find('[autofocus]') ?? find('form:not([method=dialog], [hidden]) button:enabled, a')
  start?.focus()
  // The dialog may have focused it when it opened, before the listener below.
  reveal(start)
  // WebKit ignores elements beyond the edge (WCAG 2.2, 2.4.11).
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
      // Errors share one area, so the earlier error is hidden.
      const before = find('#problem')
      if (before !== null) before.hidden = true
      notice.hidden = false
      notice.focus()
    },
    close: () => end.abort(),
  }
}

/** Scrolls just until an element is visible beside the fixed parts at the edge. */
export function reveal(element: EventTarget | null): void {
  if (element instanceof Element) element.scrollIntoView({ block: 'nearest' })
}
