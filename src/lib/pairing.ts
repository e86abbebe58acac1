import { type Html, html } from './html.js'

/** Secret of a new authenticator app, with its `otpauth://` URI and its QR code as SVG. */
interface Pairing {
  readonly secret: string
  readonly uri: string
  readonly qr: string
}

/** Texts about an authenticator app, in the language of the page. */
type PairingTexts = Readonly<
  Record<`pair.${'label' | 'text' | 'picture' | 'open' | 'key' | 'submit'}` | 'busy.checking', string>
>

/** Returns the instructions to add a secret to an authenticator app: QR code, link and key. */
export function pairingSteps({ secret, uri, qr }: Pairing, texts: PairingTexts): Html {
  const key = secret.replaceAll(/.{4}(?=.)/g, '$& ')
  return html`<p>${texts['pair.text']}</p>
<div class="qr" role="img" aria-label="${texts['pair.picture']}">${{ markup: qr }}</div>
<p class="on-phone"><a href="${uri}">${texts['pair.open']}</a></p>
<p>${texts['pair.key']} <span class="key" dir="ltr">${key}</span></p>`
}

/** Returns the field for the first code of the app, with its button. `state` contains attributes for a wrong code. */
export function pairingEntry(texts: PairingTexts, state: Html | undefined): Html {
  return html`<label for="pair">${texts['pair.label']}</label>
<input id="pair" name="code" type="text" inputmode="numeric" autocomplete="one-time-code" spellcheck="false" enterkeyhint="go" dir="ltr"${state}>
<div class="buttons"><button class="main" data-busy="${texts['busy.checking']}">${texts['pair.submit']}</button></div>`
}
