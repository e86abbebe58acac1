/*
 * Runs in the page, as text: `in-page.ts` imports nothing, and each function is complete in itself.
 * A dialog of the package has a shadow root, and the stage has a frame of its own site: both are looked into.
 */

export interface Point {
  readonly x: number
  readonly y: number
}

/** Where to click on the button, link, field or summary of this name, or of a name that ends so; undefined while there is none to be seen. */
export function pointOf(name: string): Point | undefined {
  const selector = 'button, a[href], input:not([type=hidden]), select, summary'
  const tidy = (text: string | null | undefined) => (text ?? '').replace(/\s+/g, ' ').trim()
  const nameOf = (element: Element) => {
    const { labels = null } = element as HTMLInputElement
    return tidy(element.ariaLabel ?? (labels?.[0] ?? element).textContent)
  }
  function rootsIn(root: Document | ShadowRoot): readonly (Document | ShadowRoot)[] {
    const inner = [...root.querySelectorAll('*')].flatMap((element) => {
      const found = element.shadowRoot ?? (element as HTMLIFrameElement).contentDocument ?? null
      return found === null ? [] : rootsIn(found)
    })
    return [...inner, root]
  }
  for (const root of rootsIn(document)) {
    const named = [...root.querySelectorAll<HTMLElement>(selector)].filter(
      (element) =>
        nameOf(element).endsWith(name) && element.checkVisibility() && !element.matches(':disabled'),
    )
    // A link of a menu may be called as the button of the form is.
    const exact = named.filter((element) => nameOf(element) === name)
    const found = exact.find(({ localName }) => localName === 'button') ?? exact[0] ?? named[0]
    if (found === undefined) continue
    found.scrollIntoView({ block: 'center' })
    const { left, top, width, height } = found.getBoundingClientRect()
    let [x, y] = [left + width / 2, top + height / 2]
    for (let view = found.ownerDocument.defaultView; view?.frameElement; view = view.parent as typeof view) {
      const frame = view.frameElement.getBoundingClientRect()
      x += frame.left + view.frameElement.clientLeft
      y += frame.top + view.frameElement.clientTop
    }
    return { x, y }
  }
  return undefined
}

/** All text that can be read: of the page, its dialog and its frames. */
export function textOfPage(): string {
  function textIn(root: Document | ShadowRoot): string {
    const own = [...root.querySelectorAll<HTMLElement>('body, dialog')].map(({ innerText }) => innerText)
    const inner = [...root.querySelectorAll('*')].map((element) => {
      const found = element.shadowRoot ?? (element as HTMLIFrameElement).contentDocument ?? null
      return found === null ? '' : textIn(found)
    })
    return [...own, ...inner].join('\n')
  }
  return textIn(document)
}

/** The element that has the focus. */
export interface Focused {
  /** Its label or text. */
  readonly name: string
  /** Such as `button`, or `input hidden`. */
  readonly kind: string
  /** Whether a person sees it: it has a size, and nothing covers its corners or its middle. */
  readonly isSeen: boolean
}

export function focused(): Focused {
  let element: Element | null = document.activeElement
  for (;;) {
    const view: Document | null = (element as HTMLIFrameElement | null)?.contentDocument ?? null
    const inner: Element | null | undefined = (view ?? element?.shadowRoot)?.activeElement
    if (!inner) break
    element = inner
  }
  if (element === null) return { name: '', kind: '', isSeen: false }
  const { labels = null, type = '' } = element as HTMLInputElement
  const name = (element.ariaLabel ?? (labels?.[0] ?? element).textContent ?? '').replace(/\s+/g, ' ').trim()
  const box = element.getBoundingClientRect()
  const root = element.getRootNode() as Document | ShadowRoot
  const isOnTop = (x: number, y: number) => {
    const found = root.elementFromPoint(x, y)
    return found !== null && (element.contains(found) || found.contains(element))
  }
  // Rounded corners belong to what is behind.
  const inset = Math.min(8, box.width / 3, box.height / 3)
  const isSeen =
    box.width > 1 &&
    box.height > 1 &&
    isOnTop(box.left + box.width / 2, box.top + box.height / 2) &&
    isOnTop(box.left + inset, box.top + inset) &&
    isOnTop(box.right - inset, box.bottom - inset)
  return { name, kind: `${element.localName} ${type}`.trim(), isSeen }
}

/** Whether the page is loaded, and another one than that which was marked. A page that is left may be empty. */
export function hasArrived(mark: number): boolean {
  const isOther = (document as { mark?: number } & Document).mark !== mark
  // The browser's own word that it has nothing to show.
  const isOfBrowser = /^(?:about|chrome-error):/.test(document.documentURI)
  return (
    isOther && (isOfBrowser || (document.readyState === 'complete' && document.body.childElementCount > 0))
  )
}

export function setMark(mark: number): void {
  Object.assign(document, { mark })
}

/** Where the content of the first frame begins. */
export function cornerOfFrame(): Point {
  const frame = document.querySelector('iframe') as HTMLIFrameElement
  const { left, top } = frame.getBoundingClientRect()
  return { x: left + frame.clientLeft, y: top + frame.clientTop }
}

/** How far the page is wider than its window. */
export function overflow(): number {
  const dialog = document.querySelector('two-factor-dialog')?.shadowRoot?.querySelector('dialog')
  const root = dialog ?? document.documentElement
  return root.scrollWidth - root.clientWidth
}
