interface HtmlPolicy {
  createHTML(html: string): string
}

let policy: HtmlPolicy | undefined

/** The nodes of a screen from our own routes. Scripts in it do not run. */
export function parseHtml(html: string): DocumentFragment {
  // For apps that enforce Trusted Types: `trusted-types two-factor-dialog`.
  const { trustedTypes } = globalThis as {
    trustedTypes?: { createPolicy(name: string, rules: HtmlPolicy): HtmlPolicy }
  }
  policy ??= trustedTypes?.createPolicy('two-factor-dialog', { createHTML: (text) => text })
  const template = document.createElement('template')
  template.innerHTML = policy?.createHTML(html) ?? html
  return template.content
}
