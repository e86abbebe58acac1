import { describe, expect, it } from 'vitest'
import { openBank } from '../browser/bank.js'
import { Browser } from '../express/browser.js'

const ana = '+573001234567'

async function open() {
  const { sandbox, demo, origin } = await openBank()
  const visit = new Browser(origin)
  const codeFor = async (phone: string) => (await sandbox.inbox.waitFor(phone)).code
  const signIn = async () => {
    await visit.post('/login', { name: 'ana', password: 'sesame' })
    return visit.post('/two-factor/verify', { code: await codeFor(ana) })
  }
  return { sandbox, demo, visit, codeFor, signIn }
}

describe('the demo bank', () => {
  it('asks for no code for a transfer that the account cannot pay, and shows amounts in dollars', async () => {
    const { sandbox, visit, signIn } = await open()
    await signIn()
    const refused = await visit.submit('/transfer', { amount: '1001', payee: 'Luis' })
    expect(refused.status).toBe(422)
    expect(refused.text).toContain('The account holds $1,000.00.')
    expect(sandbox.inbox.list(ana)).toHaveLength(1)
  })

  it('pays one of two confirmed transfers that exceed the balance together', async () => {
    const { demo, sandbox, visit, codeFor, signIn } = await open()
    await signIn()
    const transfers = ['Luis', 'Eva'].map((payee) => ({ amount: '600', payee }))
    for (const transfer of transfers) {
      sandbox.clock.advance(60_000)
      const { requirement } = (await visit.post('/transfer', transfer)).json
      await visit.post('/two-factor/start', { requirement })
      await visit.post('/two-factor/verify', { requirement, code: await codeFor(ana) })
    }
    const answers = await Promise.all(transfers.map((transfer) => visit.post('/transfer', transfer)))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 422])
    expect(demo.accounts.find('ana')?.movements).toHaveLength(4)
  })

  it('goes on after the clock of the sandbox was moved and the sandbox reset', async () => {
    const { sandbox, visit, signIn } = await open()
    sandbox.clock.advance(24 * 60 * 60_000)
    await visit.post('/login', { name: 'ana', password: 'sesame' })
    sandbox.reset()
    sandbox.clock.advance(60_000)
    expect((await signIn()).status).toBe(200)
  })

  it('shows in the security settings when each way last worked', async () => {
    const { visit, signIn } = await open()
    await signIn()
    const { numbers, appUsedAt } = (await visit.get('/security')).json
    expect([Date.now() - numbers[0].usedAt < 60_000, appUsedAt]).toEqual([true, undefined])
  })

  it('has a page of its own for an unknown address', async () => {
    const { visit } = await open()
    const { status, text } = await visit.get('/acount')
    expect(status).toBe(404)
    expect(text).toContain('<h1>Page not found</h1>')
  })
})
