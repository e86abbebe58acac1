import { type Html, html } from '../../../lib/html.js'

/** A form of one button that asks the control interface for something. `spoken` names what it is about. */
export function button(
  path: string,
  fields: Readonly<Record<string, string>>,
  label: string,
  spoken: string,
): Html {
  return html`<form method="post" action="/_sandbox/${path}">
${Object.entries(fields).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}
<button class="plain" aria-label="${spoken}">${label}</button>
</form>`
}
