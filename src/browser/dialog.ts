import { type Beginning, converse } from './conversation.js'
import type { Answer, Mount } from './mount.js'
import { nextAfter } from './outcome.js'
import { reveal } from './screen.js'
import { pageOf, type StepUp } from './step-up.js'

const tag = 'two-factor-dialog'

// Not there where an app is rendered on a server.
const Element = globalThis.HTMLElement ?? (Object as unknown as typeof HTMLElement)

/**
 * `<two-factor-dialog>`: asks the person for a code. `fetchWithCode` opens the one on the page, or adds one.
 * Screens, texts and style come from the routes, so they are those of the pages.
 *
 * @example
 * document.body.append(document.createElement('two-factor-dialog'))
 */
export class TwoFactorDialog extends Element {
  /**
   * Resolves with whether the person typed the right code, false when they closed the dialog or the page lost it;
   * with the response of start when that has nothing to show. Rejects when aborted, and when start cannot be reached.
   */
  async ask(stepUp: StepUp, mount: Mount, signal: AbortSignal): Promise<boolean | Response> {
    const root = this.shadowRoot ?? this.attachShadow({ mode: 'open' })
    // Not waited for, and no reason to fail: by the time it comes, somebody may have a code that was paid for.
    loadStyle(root, mount, signal).catch(() => undefined)
    const beginning = await begin(stepUp, mount)
    // From here on the dialog listens to it; what was aborted before must open nothing.
    signal.throwIfAborted()
    if (beginning === 'proven') return true
    if (beginning.first.body.html === undefined) return beginning.first.response
    if (!this.isConnected) return false

    const dialog = document.createElement('dialog')
    // Two copies of this script may ask at once: one over the other.
    root.append(dialog)
    try {
      return await converse(dialog, beginning, signal)
    } finally {
      // Gives the focus back to where it was.
      dialog.close()
      dialog.remove()
    }
  }

  /** Nobody can close a dialog that an app takes off its page, and all other requests would wait for it. */
  disconnectedCallback(): void {
    for (const dialog of this.shadowRoot?.querySelectorAll('dialog') ?? []) dialog.close()
  }
}

/** How long the dialog waits for the start alone, in milliseconds: most codes are on their way by then. */
const quickMs = 200

/** Starts a challenge. A code that takes its time to be sent can be typed meanwhile, once it is booked. */
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

// A page may hold two copies, one from the package and one from the mount.
if (globalThis.customElements?.get(tag) === undefined) globalThis.customElements?.define(tag, TwoFactorDialog)

/** The dialog of the page; one is added where there is none. */
export function dialogOfPage(): TwoFactorDialog {
  const found = document.querySelector<TwoFactorDialog>(tag)
  return found ?? document.body.appendChild(document.createElement(tag) as TwoFactorDialog)
}

async function loadStyle(root: ShadowRoot, mount: Mount, signal: AbortSignal): Promise<void> {
  const response = await fetch(`${mount.url}page.css`, { signal })
  const style = new CSSStyleSheet()
  // Custom properties of the page are those of the dialog, and nobody else's.
  await style.replace((await response.text()).replaceAll(':root', ':host'))
  root.adoptedStyleSheets = [style]
  // The style moves what had the focus before it came.
  reveal(root.activeElement)
}
