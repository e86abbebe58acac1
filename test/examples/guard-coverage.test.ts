import { Router } from 'express'
import { startSandbox } from 'express-two-factor/sandbox'
import { type GuardCoverage, guardCoverage } from 'express-two-factor/testing'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { createDemo } from '../../examples/demo/app.js'
import { walkThrough } from '../../examples/demo/walkthrough.js'
import { listening } from '../listening.js'
import { createVisitor } from './browser.js'

/** The demo under guard coverage, on a free port. */
async function startDemo(forgotten: Router) {
  const sandbox = await startSandbox()
  const coverages: GuardCoverage[] = []
  const { app, close } = createDemo(sandbox, {
    makesCodes: false,
    inFront: (tf) => {
      const coverage = guardCoverage(tf)
      coverages.push(coverage)
      return Router().use(coverage.middleware).use(forgotten)
    },
  })
  const { origin, close: hangUp } = await listening(app, 'localhost')
  onTestFinished(async () => {
    await hangUp()
    await close()
    await sandbox.close()
  })
  return { sandbox, origin, report: () => coverages[0]?.report() }
}

describe('guard coverage of the demo', () => {
  it('finds nothing in what it has, and the twin of its transfer that somebody forgot', async () => {
    vi.spyOn(console, 'log').mockImplementation(() => undefined)
    const forgotten = Router().post('/v2/transfer', (_req, res) => void res.json({ done: true }))
    const { sandbox, origin, report } = await startDemo(forgotten)
    await walkThrough(origin, sandbox)
    const visit = createVisitor(origin)
    sandbox.clock.advance(10 * 60_000)
    await visit('POST', '/login', { name: 'ana', password: 'sesame' })
    await visit('POST', '/two-factor/verify', { code: await newestCode() })
    expect((await visit('POST', '/settings', { email: 'ana@example.net' })).status).toBe(403)
    sandbox.clock.advance(10 * 60_000)
    await visit('POST', '/two-factor/start', { purpose: 'settings' })
    await visit('POST', '/two-factor/verify', { code: await newestCode() })
    expect((await visit('POST', '/settings', { email: 'ana@example.net' })).status).toBe(303)
    expect(report).not.toThrow()

    expect((await visit('POST', '/v2/transfer', { amount: '1', payee: 'Eve' })).status).toBe(200)
    expect(report).toThrow(/second factor:\n {2}POST \/v2\/transfer$/)

    async function newestCode(): Promise<string> {
      return (await sandbox.inbox.waitFor('+573001234567')).code
    }
  })
})
