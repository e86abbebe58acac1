import { vi } from 'vitest'
import { axeScript } from '../chromium.js'
import { type Focused, focused, hasArrived, overflow, pointOf, setMark, textOfPage } from './in-page.js'
import type { EngineName, Size, Tab } from './tab.js'

/** A person at a browser. The verbs are those of the journeys, and work alike in each engine. */
export interface Visitor {
  readonly engine: EngineName
  /** Opens an address. */
  visit(url: string): Promise<void>
  /** Goes back until the page is there. */
  back(): Promise<void>
  reload(): Promise<void>
  /** Clicks the button or link of this name and waits for the page that it leads to. */
  press(name: string): Promise<void>
  /** Clicks what has this name, on a page that stays. */
  tap(name: string): Promise<void>
  /** Clicks the field of this label, and types in place of what it holds. */
  fill(label: string, text: string): Promise<void>
  /** Types where the focus is. `Enter` and such are keys. */
  type(...keys: readonly string[]): Promise<void>
  /** Presses Enter and waits for the page that it leads to. */
  submit(): Promise<void>
  /** Waits until this can be read. */
  see(text: string): Promise<void>
  /** All that can be read. */
  text(): Promise<string>
  heading(): Promise<string>
  /** Its path, with the query. */
  address(): Promise<string>
  focused(): Promise<Focused>
  /** Presses Tab, or Shift+Tab, so many times. Resolves with each element of the page that has the focus after it. */
  tabThrough(times: number, key?: 'Tab' | 'Shift+Tab'): Promise<readonly Focused[]>
  /** Moves the focus by Tab alone until it is on what has this name. */
  tabTo(name: string): Promise<void>
  resize(size: Size): Promise<void>
  /** How far the page is wider than its window, in pixels. */
  overflow(): Promise<number>
  /** What axe finds on the page and in its dialog, each as a line that names the rule and the element. */
  axeFindings(): Promise<readonly string[]>
  evaluate(expression: string): Promise<unknown>
  forget(): Promise<void>
  picture(): Promise<string>
  /** The same person, who uses the frame of the page. */
  inFrame(): Promise<Visitor>
}

const patience = { timeout: 60_000, interval: 30 }

/** Between the last control and the first one the browser itself has the focus. */
const isOfPage = ({ kind }: Focused) => kind !== 'body' && kind !== 'html' && kind !== ''

/** The text of a function and its arguments, to be evaluated in the page. */
const called = (run: (...given: never[]) => unknown, ...given: readonly (string | number)[]): string =>
  `(${run})(${given.map((value) => JSON.stringify(value)).join()})`

export function visitorAt(tab: Tab): Visitor {
  let marks = 0

  async function arriveAfter(leave: () => Promise<unknown>): Promise<void> {
    marks += 1
    const mark = marks
    await tab.evaluate(called(setMark, mark))
    await leave()
    // Between two pages there is nothing to ask.
    await vi.waitFor(async () => {
      if (!(await tab.evaluate(called(hasArrived, mark))))
        throw new Error(`the page has not changed:\n${await readText()}`)
    }, patience)
  }

  async function tap(name: string): Promise<void> {
    const point = await vi.waitFor(async () => {
      const found = (await tab.evaluate(called(pointOf, name))) as ReturnType<typeof pointOf>
      if (found !== undefined) return found
      throw new Error(`there is no "${name}" on the page:\n${await tab.evaluate(called(textOfPage))}`)
    }, patience)
    await tab.clickAt(point.x, point.y)
  }

  const focusNow = async () => (await tab.evaluate(called(focused))) as Focused
  const readText = async () => String(await tab.evaluate(called(textOfPage)))

  async function pressTab(key = 'Tab'): Promise<Focused> {
    await tab.press([key])
    return focusNow()
  }

  return {
    engine: tab.engine,
    visit: (url) => tab.open(url),
    back: () => arriveAfter(tab.back),
    reload: () => arriveAfter(tab.reload),
    press: (name) => arriveAfter(() => tap(name)),
    tap,
    async fill(label, text) {
      await tap(label)
      const field = 'let e = document.activeElement; while (e.shadowRoot) e = e.shadowRoot.activeElement'
      await tab.evaluate(`(() => { ${field}; e.select() })()`)
      await tab.press([...text])
    },
    type: (...keys) => tab.press(keys),
    submit: () => arriveAfter(() => tab.press(['Enter'])),
    async see(text) {
      await vi.waitFor(async () => {
        const shown = await readText()
        if (!shown.includes(text)) throw new Error(`"${text}" is not on the page:\n${shown}`)
      }, patience)
    },
    text: readText,
    heading: async () => String(await tab.evaluate("document.querySelector('h1')?.innerText")),
    address: async () => String(await tab.evaluate('location.pathname + location.search')),
    focused: focusNow,
    async tabThrough(times, key) {
      const found: Focused[] = []
      for (let presses = 0; presses < times; presses += 1) found.push(await pressTab(key))
      return found.filter(isOfPage)
    },
    async tabTo(name) {
      for (let presses = 0; presses < 60; presses += 1) {
        const stop = await pressTab()
        if (isOfPage(stop) && stop.name.includes(name)) return
      }
      throw new Error(`Tab never reached ${name}`)
    },
    resize: tab.resize,
    overflow: async () => Number(await tab.evaluate(called(overflow))),
    async axeFindings() {
      if (!(await tab.evaluate("'axe' in window"))) await tab.evaluate(`(() => { ${axeScript} })()`)
      const options = JSON.stringify({ iframes: false, resultTypes: ['violations'] })
      const found =
        'violations.flatMap(({ id, nodes }) => nodes.map(({ target }) => [id, target].join(": ")))'
      return (await tab.evaluate(
        `axe.run(${options}).then(({ violations }) => ${found})`,
      )) as readonly string[]
    },
    evaluate: tab.evaluate,
    forget: tab.forget,
    picture: tab.picture,
    inFrame: async () => visitorAt({ ...tab, ...(await tab.frame()) }),
  }
}
