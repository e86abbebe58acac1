import { expect, it, onTestFinished } from 'vitest'
import { states } from '../express/pages/views.js'
import type { Visitor } from './engines/visitor.js'
import { elementsOf, show } from './one-document.js'
import { serveStates } from './states.js'

/** What axe finds in each state of the pages, in the browser that `visitor` drives. `walk` does this in Chromium. */
export function itGivesAxeNothing(visitor: () => Visitor): void {
  it('gives axe nothing to find: every state of the pages', async () => {
    const server = await serveStates()
    onTestFinished(() => server.close())
    const ana = visitor()
    await ana.visit(server.urlOf('en', 'code'))
    const seen = new Set<string>()
    for (const state of Object.keys(states)) {
      await ana.evaluate(`(${show})(${JSON.stringify(server.markupOf('en', state))})`)
      const made = String(await ana.evaluate(`(${elementsOf})()`))
      if (seen.size < seen.add(made).size) {
        expect([state, await ana.axeFindings()]).toEqual([state, []])
      }
    }
    expect(seen.size).toBeGreaterThan(20)
  })
}
