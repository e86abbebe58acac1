/*
 * Runs in the page, as text: each function is complete in itself. Pages that follow each other in one document take less
 * time than pages of their own.
 */

/** Shows a page in place of that which is there. */
export function show(markup: string): void {
  const { documentElement, title, body } = new DOMParser().parseFromString(markup, 'text/html')
  document.documentElement.lang = documentElement.lang
  document.documentElement.dir = documentElement.dir
  document.title = title
  document.body.replaceWith(body)
}

/** Each kind of element once: what it is in, and whatever colours, names and roles go by. */
export function elementsOf(): string {
  const root = document.querySelector('two-factor-dialog')?.shadowRoot ?? document
  const told = (element: Element | null): string => {
    if (element === null) return ''
    const own = [...element.attributes].map(({ name, value }) =>
      /^(?:action|aria-label|data-.*|datetime|href|src|value)$/.test(name) ? name : `${name}=${value}`,
    )
    return `${told(element.parentElement)} > ${element.localName} ${own}`
  }
  return [...new Set([...root.querySelectorAll('*')].map(told))].sort().join()
}
