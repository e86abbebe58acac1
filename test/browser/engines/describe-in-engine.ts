import { afterAll, beforeAll, beforeEach, describe } from 'vitest'
import { chromiumPath, openChromium } from './chromium.js'
import { firefoxPath, openFirefox } from './firefox.js'
import type { EngineName, Look, Tab } from './tab.js'
import { type Visitor, visitorAt } from './visitor.js'
import { openWebKit, webKitPath } from './webkit.js'

interface Engine {
  /** The program; undefined where it is not installed. */
  readonly path: string | undefined
  open(look?: Look): Promise<Tab>
}

export const engines: Readonly<Record<EngineName, Engine>> = {
  Chromium: { path: chromiumPath, open: openChromium },
  Firefox: { path: firefoxPath, open: openFirefox },
  WebKit: { path: webKitPath, open: openWebKit },
}

/**
 * A suite in one engine, whose browser opens once for all of its tests. Without the engine the suite is skipped and
 * says so. Under CI it must run.
 */
export function describeInEngine(name: EngineName, suite: (visitor: () => Visitor) => void): void {
  const { path, open } = engines[name]
  const isSkipped = path === undefined && process.env.CI !== 'true'
  if (isSkipped) console.warn(`skipped, ${name} is not installed`)
  describe.skipIf(isSkipped)(`in ${name}`, () => {
    let tab: Tab | undefined
    let visitor: Visitor | undefined
    beforeAll(async () => {
      tab = await open()
      visitor = visitorAt(tab)
    })
    afterAll(() => tab?.close())
    beforeEach(async () => {
      await tab?.forget()
      await tab?.open('about:blank')
      await tab?.resize({ width: 1_024, height: 768 })
    })
    suite(() => {
      if (visitor === undefined) throw new Error('the browser is open inside tests only')
      return visitor
    })
  })
}
