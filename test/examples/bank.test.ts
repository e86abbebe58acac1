import { describe, expect, it, onTestFinished } from 'vitest'
import { openBank } from '../browser/bank.js'
import { createVisitor } from './browser.js'

const ana = '+573001234567'

async function open() {
  const { sandbox, demo, origin, close } = await openBank()
  onTestFinished(close)
  const visit = createVisitor(origin)
  const codeFor = async (phone: string) => (await sandbox.inbox.waitFor(phone)).code
  const signIn = async () => {
    await visit('POST', '/login', { name: 'ana', password: 'sesame' })
    return visit('POST', '/two-factor/verify', { code: await codeFor(ana) })
  }
  return { sandbox, demo, visit, codeFor, signIn }
}

describe('the demo bank', () => {
  it('asks for no code for a transfer that the account cannot pay, and shows amounts in dollars', async () => {
    const { sandbox, visit, signIn } = await open()
    await signIn()
    const refused = await visit('POST', '/transfer', new URLSearchParams({ amount: '1001', payee: 'Luis' }))
    expect(refused.status).toBe(422)
    expect(refused.text).toContain('The account holds $1,000.00.')
    expect(sandbox.inbox.list(ana)).toHaveLength(1)
  })

  it('pays out one of two confirmed transfers that are more than the account holds together', async () => {
    const { demo, sandbox, visit, codeFor, signIn } = await open()
    await signIn()
    const transfers = ['Luis', 'Eva'].map((payee) => ({ amount: '600', payee }))
    for (const transfer of transfers) {
      sandbox.clock.advance(60_000)
      const { requirement } = (await visit('POST', '/transfer', transfer)).body
      await visit('POST', '/two-factor/start', { requirement })
      await visit('POST', '/two-factor/verify', { requirement, code: await codeFor(ana) })
    }
    const answers = await Promise.all(transfers.map((transfer) => visit('POST', '/transfer', transfer)))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 422])
    expect(demo.accounts.find('ana')?.movements).toHaveLength(4)
  })

  it('goes on after the clock of the sandbox was moved and the sandbox reset', async () => {
    const { sandbox, visit, signIn } = await open()
    sandbox.clock.advance(24 * 60 * 60_000)
    await visit('POST', '/login', { name: 'ana', password: 'sesame' })
    sandbox.reset()
    sandbox.clock.advance(60_000)
    expect((await signIn()).status).toBe(200)
  })

  it('has a page of its own for what is not there', async () => {
    const { visit } = await open()
    const { status, text } = await visit('GET', '/acount')
    expect(status).toBe(404)
    expect(text).toContain('<h1>Page not found</h1>')
  })
})
