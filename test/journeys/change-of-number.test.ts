import { describe, expect, it, onTestFinished } from 'vitest'
import { type Account, createApp } from '../../examples/change-of-number.js'
import { startSandbox } from '../../src/tools/sandbox/index.js'
import { Browser } from '../express/browser.js'
import { listening } from '../listening.js'

const numbers = ['+573001234567', '+573007654321', '+573007654322'] as const
const settings = '/account/security'

async function startExample() {
  const sandbox = await startSandbox()
  const ana: Account = { numbers: [numbers[0]], email: 'ana@example.com' }
  const mails: string[] = []
  const sendMail = async (to: string, text: string) => void mails.push(`${to}: ${text}`)
  const { app, close } = createApp(sandbox, new Map([['ana', ana]]), sendMail)
  const { origin, close: hangUp } = await listening(app)
  onTestFinished(async () => {
    await hangUp()
    await close()
    await sandbox.close()
  })
  const verify = async (visit: Browser, mount: string, phone: string) => {
    const { code } = await sandbox.inbox.waitFor(phone)
    expect((await visit.post(`${mount}/verify`, { code })).status).toBe(200)
    sandbox.reset()
  }

  /** Somebody with the password and, for a moment, the phone. */
  async function signIn(): Promise<Browser> {
    const visit = new Browser(origin)
    await visit.post('/sign-in')
    expect((await visit.post('/two-factor/start', { purpose: 'login' })).status).toBe(201)
    await verify(visit, '/two-factor', numbers[0])
    return visit
  }

  /** Adds a number. Answers the token of the link that the first number got. */
  async function add(visit: Browser, phone: string): Promise<string> {
    expect((await visit.post(`${settings}/number/start`, { phone })).status).toBe(201)
    await verify(visit, `${settings}/number`, phone)
    const { requirement } = (await visit.post(`${settings}/numbers/add`)).json
    await visit.post('/two-factor/start', { requirement })
    await verify(visit, '/two-factor', numbers[0])
    expect((await visit.post(`${settings}/numbers/add`)).json).toEqual({ changed: 'number-added' })
    const { text } = await sandbox.inbox.waitFor(numbers[0], { code: false })
    const [, token = ''] = /http:\/\/localhost:3000\/not-me\?token=([\w-]{43})$/.exec(text) ?? []
    expect(mails.at(-1)).toBe(`ana@example.com: ${text}`)
    return token
  }
  return { origin, ana, signIn, add, visit: new Browser(origin) }
}

describe('examples/change-of-number', () => {
  it('undoes a change of an attacker by a POST, after any later change, and ends their sessions', async () => {
    const { ana, signIn, add, visit, origin } = await startExample()
    const mallory = await signIn()
    const token = await add(mallory, numbers[1])
    expect((await mallory.get('/account')).json).toMatchObject({ numbers: numbers.slice(0, 2) })

    const page = await visit.get(`/not-me?token=${token}`)
    expect(page.text).toContain('<button>Undo it</button>')
    expect(page.headers.get('referrer-policy')).toBe('no-referrer')
    expect(ana.numbers).toEqual(numbers.slice(0, 2))

    expect((await visit.submit('/not-me', { token })).status).toBe(200)
    expect(ana).toMatchObject({ numbers: [numbers[0]], mustResetPassword: true })
    expect((await mallory.get('/account')).status).toBe(403)
    expect((await new Browser(origin).post('/sign-in')).status).toBe(403)
    expect((await visit.submit('/not-me', { token })).status).toBe(410)
  })

  it('refuses the links of changes that were undone', async () => {
    const { ana, signIn, add, visit } = await startExample()
    const mallory = await signIn()
    const token = await add(mallory, numbers[1])
    const ofMallory = await add(mallory, numbers[2])
    expect((await visit.submit('/not-me', { token })).status).toBe(200)
    expect((await visit.submit('/not-me', { token: ofMallory })).status).toBe(410)
    expect((await visit.submit('/not-me', { token: 'guess' })).status).toBe(410)
    expect(ana.numbers).toEqual([numbers[0]])
    const hostile = await visit.get('/not-me?token="><script>')
    expect(hostile.text).not.toContain('<script>')
  })
})
