import { type Html, html } from '../../../lib/html.js'

/** Returns a form with one button for the control interface. `spoken` names its subject for screen readers. */
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
