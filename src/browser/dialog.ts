import { converse } from './conversation.js'
import type { Mount } from './mount.js'
import type { StepUp } from './step-up.js'

/** Documents of the routes that come with the screen to show, in the language and look of the pages. */
export const dialogDocument = 'application/json;profile=dialog'

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
   * Resolves with whether the person typed the right code, false when they closed the dialog; with the response
   * of start when that has nothing to show. Rejects when aborted, and when start cannot be reached.
   */
  async ask(stepUp: StepUp, mount: Mount, signal: AbortSignal): Promise<boolean | Response> {
    const { requirement, startUrl } = stepUp
    const [style, started] = await Promise.all([loadStyle(mount), mount.post(startUrl, { requirement })])
    if (started.body.verified) return true
    const page = `./?requirement=${encodeURIComponent(requirement)}`
    const first = started.response.ok ? await mount.get(page) : started
    if (first.body.html === undefined) return first.response

    const root = this.shadowRoot ?? this.attachShadow({ mode: 'open' })
    const dialog = document.createElement('dialog')
    root.adoptedStyleSheets = [style]
    root.replaceChildren(dialog)
    try {
      return await converse(dialog, { first, page, mount }, signal)
    } finally {
      // Gives the focus back to where it was.
      dialog.close()
      dialog.remove()
    }
  }
}

// A page may hold two copies, one from the package and one from the mount.
if (globalThis.customElements?.get(tag) === undefined) globalThis.customElements?.define(tag, TwoFactorDialog)

/** The dialog of the page; one is added where there is none. */
export function dialogOfPage(): TwoFactorDialog {
  const found = document.querySelector<TwoFactorDialog>(tag)
  return found ?? document.body.appendChild(document.createElement(tag) as TwoFactorDialog)
}

async function loadStyle(mount: Mount): Promise<CSSStyleSheet> {
  const response = await fetch(`${mount.url}page.css`)
  const style = new CSSStyleSheet()
  // Custom properties of the page are those of the dialog, and nobody else's.
  await style.replace((await response.text()).replaceAll(':root', ':host'))
  return style
}
