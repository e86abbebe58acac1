import { type Beginning, converse } from './conversation.js'
import type { Answer, Mount } from './mount.js'
import { nextAfter } from './outcome.js'
import { reveal } from './screen.js'
import { pageOf, type StepUp } from './step-up.js'

const tag = 'two-factor-dialog'

// Absent if an app is rendered on a server.
const Element = globalThis.HTMLElement ?? (Object as unknown as typeof HTMLElement)

/**
 * `<two-factor-dialog>` requires a code from the user. `fetchWithCode` opens the dialog of the page, or adds one.
 * Screens, texts and style come from the routes, so they match the pages.
 *
 * @example
 * document.body.append(document.createElement('two-factor-dialog'))
 */
export class TwoFactorDialog extends Element {
  /**
   * Opens the dialog. Resolves with true after a correct code, with false if the user closed the dialog or the page
   * lost it, and with the response of a start that has no screen. Rejects if aborted, or if the start cannot be
   * reached.
   */
  async ask(stepUp: StepUp, mount: Mount, signal: AbortSignal): Promise<boolean | Response> {
    const root = this.shadowRoot ?? this.attachShadow({ mode: 'open' })
    // Neither awaited nor required: when it fails, a paid code may already have arrived.
    loadStyle(root, mount, signal).catch(() => undefined)
    const beginning = await begin(stepUp, mount)
    // The dialog listens to the signal from here on. An earlier abort must open nothing.
    signal.throwIfAborted()
    if (beginning === 'proven') return true
    if (beginning.first.body.html === undefined) return beginning.first.response
    if (!this.isConnected) return false

    const dialog = document.createElement('dialog')
    // Two copies of this script may open dialogs at the same time, which then lie on each other.
    root.append(dialog)
    try {
      return await converse(dialog, beginning, signal)
    } finally {
      // Returns the focus to the element that had it.
      dialog.close()
      dialog.remove()
    }
  }

  /**
   * Closes the dialog if an app removes it from its page. Otherwise no user could close it, and all other requests
   * would wait for it.
   */
  disconnectedCallback(): void {
    for (const dialog of this.shadowRoot?.querySelectorAll('dialog') ?? []) dialog.close()
  }
}

/** Milliseconds for which the dialog waits for the start before it shows a screen. Most codes are sent by then. */
const quickMs = 200

/** Starts a challenge. A booked code can be entered while a slow send is in progress. */
async function begin(stepUp: StepUp, mount: Mount): Promise<Beginning | 'proven'> {
  const { requirement, startUrl } = stepUp
  const page = pageOf(stepUp)
  const started = mount.post(startUrl, { requirement })
  const quick = new Promise<undefined>((resolve) => setTimeout(resolve, quickMs))
  if ((await Promise.race([started, quick])) === undefined) {
    const first: Answer | undefined = await mount.get(page).catch(() => undefined)
    if (first?.body.html !== undefined) return { first, started, page, mount }
  }
  const first = await nextAfter(await started, page, mount)
  return first === 'proven' ? first : { first, page, mount }
}

// A page may contain two copies, one from the package and one from the mount.
if (globalThis.customElements?.get(tag) === undefined) globalThis.customElements?.define(tag, TwoFactorDialog)

/** Returns the dialog of the page. Adds one if there is none. */
export function dialogOfPage(): TwoFactorDialog {
  const found = document.querySelector<TwoFactorDialog>(tag)
  return found ?? document.body.appendChild(document.createElement(tag) as TwoFactorDialog)
}

async function loadStyle(root: ShadowRoot, mount: Mount, signal: AbortSignal): Promise<void> {
  const response = await fetch(`${mount.url}page.css`, { signal })
  const style = new CSSStyleSheet()
  // The style declares its custom properties on the root, which in the dialog is its host.
  await style.replace((await response.text()).replaceAll(':root', ':host'))
  root.adoptedStyleSheets = [style]
  // The style moves an element that already had the focus.
  reveal(root.activeElement)
}
