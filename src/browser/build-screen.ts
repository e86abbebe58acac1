import type { Mount } from './mount.js'

interface HtmlPolicy {
  createHTML(html: string): string
}

let policy: HtmlPolicy | undefined

/** Elements of screens, each with its own attributes. */
const elements: ReadonlyMap<string, string> = new Map(
  Object.entries({
    a: 'href',
    bdi: '',
    button: 'disabled name value',
    dd: '',
    div: '',
    dl: '',
    dt: '',
    form: 'action method novalidate',
    h1: '',
    h2: '',
    img: 'alt src',
    input: 'autocapitalize autocomplete enterkeyhint inputmode name spellcheck type value',
    label: 'for',
    li: '',
    option: 'selected value',
    p: '',
    section: '',
    select: 'autocomplete name',
    span: '',
    time: 'datetime',
    ul: '',
  }),
)

const ofAll = /^(?:autofocus|class|dir|hidden|id|lang|role|tabindex|(?:aria|data)-[a-z-]+)$/

/** Returns whether screens have such an element, and with this attribute. */
export function isOfScreens(element: string, attribute?: string): boolean {
  const own = elements.get(element)?.split(' ')
  return own !== undefined && (attribute === undefined || ofAll.test(attribute) || own.includes(attribute))
}

/**
 * Returns the nodes of a screen. Known elements are created again with their known attributes, and all else is left
 * out. So nothing runs and no form leads elsewhere, whatever server responded (XSS).
 */
export function buildScreen(html: string, mount: Mount): DocumentFragment {
  const screen = document.createDocumentFragment()
  copyChildren(parse(html), screen, mount)
  return screen
}

/** Parses markup without loading or running anything in it. */
function parse(html: string): DocumentFragment {
  // For apps that enforce Trusted Types: `trusted-types two-factor-dialog`.
  const { trustedTypes } = globalThis as {
    trustedTypes?: { createPolicy(name: string, rules: HtmlPolicy): HtmlPolicy }
  }
  policy ??= trustedTypes?.createPolicy('two-factor-dialog', { createHTML: (text) => text })
  const template = document.createElement('template')
  template.innerHTML = policy?.createHTML(html) ?? html
  return template.content
}

function copyChildren(from: Node, to: Node, mount: Mount): void {
  for (const node of from.childNodes) {
    if (node instanceof Text) to.appendChild(document.createTextNode(node.data))
    const copy = node instanceof Element ? copyOf(node, mount) : undefined
    if (copy !== undefined) copyChildren(node, to.appendChild(copy), mount)
  }
}

function copyOf({ localName, attributes }: Element, mount: Mount): HTMLElement | undefined {
  if (!isOfScreens(localName)) return undefined
  const copy = document.createElement(localName)
  for (const { name, value } of attributes) {
    const known = isOfScreens(localName, name) ? knownValue(name, value, mount) : undefined
    if (known !== undefined) copy.setAttribute(name, known)
  }
  // The code goes to the routes and nowhere else (phishing).
  const isAstray =
    localName === 'form' && copy.getAttribute('method') !== 'dialog' && !copy.hasAttribute('action')
  return isAstray ? undefined : copy
}

/** Returns the value of an attribute, with an absolute URL. Undefined for a value that no screen has there. */
function knownValue(name: string, value: string, mount: Mount): string | undefined {
  if (name === 'action') return mount.below(value)
  if (name === 'type') return /^(?:checkbox|hidden|tel|text)$/.test(value) ? value : undefined
  if ((name !== 'href' && name !== 'src') || value.startsWith('#')) return value
  if (!URL.canParse(value, mount.url)) return undefined
  const { protocol, href } = new URL(value, mount.url)
  // The rule of the server: paths of its site, https, mail and telephone. No `javascript:`.
  return [new URL(mount.url).protocol, 'https:', 'mailto:', 'tel:'].includes(protocol) ? href : undefined
}
