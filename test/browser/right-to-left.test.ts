import { afterAll, beforeAll, expect, it } from 'vitest'
import { states } from '../express/pages/views.js'
import { describeInChromium } from './chromium.js'
import { show } from './one-document.js'
import { type States, serveStates } from './states.js'

declare global {
  interface Window {
    show: typeof show
    turned: typeof turned
  }
}

describeInChromium('in a language from right to left', (browser) => {
  let server: States
  beforeAll(async () => {
    server = await serveStates()
  })
  afterAll(() => server.close())

  it('every number is painted and typed from left to right', async () => {
    const page = await browser().newPage()
    await page.goto(server.urlOf('ar', 'code'))
    await page.evaluate(`Object.assign(window, { show: ${show}, turned: ${turned} })`)
    const markups = Object.keys(states).map((state) => [state, server.markupOf('ar', state)] as const)
    // One after the other in one document: to open each takes longer than to look.
    const found = await page.evaluate((shown) => {
      return shown.map(([state, markup]) => {
        window.show(markup)
        return [state, window.turned()] as const
      })
    }, markups)
    expect(found).toEqual(markups.map(([state]) => [state, []]))
    // What would be found.
    await page.goto(server.urlOf('ar', 'code at signup, number shown'))
    await page.evaluate("document.querySelector('.number').removeAttribute('dir')")
    await page.evaluate("document.querySelector('#code').removeAttribute('dir')")
    expect(await page.evaluate(turned)).toEqual(['code', '+57 300 123 4567'])
    await page.close()
  })
})

/** The fields and numbers that run from right to left: of a number each character is right of the one before. */
function turned(): string[] {
  const fields = [...document.querySelectorAll<HTMLInputElement>('input[type=text], input[type=tel]')]
  const found = fields.filter((field) => getComputedStyle(field).direction === 'rtl').map(({ id }) => id)
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
  for (let text = texts.nextNode() as Text | null; text; text = texts.nextNode() as Text | null) {
    if (text.parentElement?.closest('.unseen, option, [hidden]')) continue
    // A number as it is dialled or masked, or a key in groups.
    for (const { 0: number, index } of text.data.matchAll(/[+•\d][\d •]+\d|[A-Z2-7]{4}(?: [A-Z2-7]{4})+/g)) {
      const places = [...number].map((_, at) => {
        const range = document.createRange()
        range.setStart(text, index + at)
        range.setEnd(text, index + at + 1)
        return range.getBoundingClientRect()
      })
      const isTurned = places.some(({ left, top }, at) => {
        const before = places[at - 1]
        return before !== undefined && before.top === top && left < before.left
      })
      if (isTurned) found.push(number)
    }
  }
  return found
}
