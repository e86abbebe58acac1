import { describe, expect, it, onTestFinished } from 'vitest'
import { type Account, createApp } from '../../examples/change-of-number.js'
import { startSandbox } from '../../src/tools/sandbox/index.js'
import { Browser } from '../express/browser.js'
import { listening } from '../listening.js'

const numbers = ['+573001234567', '+573007654321', '+573007654322'] as const

async function startExample() {
  const sandbox = await startSandbox()
  const accounts = new Map<string, Account>([['ana', { phone: numbers[0], email: 'ana@example.com' }]])
  const mails: string[] = []
  const sendMail = async (to: string, text: string) => void mails.push(`${to}: ${text}`)
  const { app, close } = createApp(sandbox, accounts, sendMail)
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
    await verify(visit, '/two-factor', accounts.get('ana')?.phone ?? '')
    return visit
  }

  async function proveNumber(visit: Browser, to: string): Promise<void> {
    expect((await visit.post('/number/code/start', { phone: to })).status).toBe(201)
    await verify(visit, '/number/code', to)
  }

  /** Types the code that went to the old number. Answers what was shown of the new one. */
  async function confirm(visit: Browser): Promise<unknown> {
    const { requirement, details } = (await visit.post('/number')).json
    await visit.post('/two-factor/start', { requirement })
    await verify(visit, '/two-factor', accounts.get('ana')?.phone ?? '')
    return details
  }

  /** Answers the token of the link that the old number got. */
  async function change(visit: Browser, to: string): Promise<string> {
    const old = accounts.get('ana')?.phone ?? ''
    await proveNumber(visit, to)
    await confirm(visit)
    expect((await visit.post('/number')).json).toEqual({ changed: true })
    const { text } = await sandbox.inbox.waitFor(old, { code: false })
    const [, token = ''] = /http:\/\/localhost:3000\/not-me\?token=([\w-]{43})$/.exec(text) ?? []
    expect(mails.at(-1)).toBe(`ana@example.com: ${text}`)
    return token
  }
  return { origin, accounts, signIn, proveNumber, confirm, change, visit: new Browser(origin) }
}

describe('examples/change-of-number', () => {
  it('changes the number by a code to the old one and one to the new one, and tells the old one', async () => {
    const { accounts, signIn, change } = await startExample()
    const ana = await signIn()
    expect((await ana.post('/number')).status).toBe(409)
    await change(ana, numbers[1])
    expect(accounts.get('ana')?.phone).toBe(numbers[1])
    // The person who made it stays signed in.
    expect((await ana.get('/account')).json).toMatchObject({ phone: numbers[1] })
    expect((await ana.post('/number')).status).toBe(409)
  })

  it('shows the new number beside the code to the old one, which puts no other on file', async () => {
    const { accounts, signIn, proveNumber, confirm } = await startExample()
    const ana = await signIn()
    await proveNumber(ana, numbers[1])
    expect(await confirm(ana)).toEqual({ title: 'New number', rows: [['Number', numbers[1]]] })
    // A second hand in the session proves its own number meanwhile.
    await proveNumber(ana, numbers[2])
    expect((await ana.post('/number')).status).toBe(403)
    expect(accounts.get('ana')?.phone).toBe(numbers[0])
  })

  it('undoes a change of somebody else by a POST, whatever they did since, and ends their sessions', async () => {
    const { accounts, signIn, change, visit, origin } = await startExample()
    const mallory = await signIn()
    const token = await change(mallory, numbers[1])

    const page = await visit.get(`/not-me?token=${token}`)
    expect(page.text).toContain('<button>Undo it</button>')
    expect(page.headers.get('referrer-policy')).toBe('no-referrer')
    expect(accounts.get('ana')?.phone).toBe(numbers[1])

    expect((await visit.submit('/not-me', { token })).status).toBe(200)
    expect(accounts.get('ana')).toMatchObject({ phone: numbers[0], mustResetPassword: true })
    expect((await mallory.get('/account')).status).toBe(403)
    expect((await new Browser(origin).post('/sign-in')).status).toBe(403)
    expect((await visit.submit('/not-me', { token })).status).toBe(410)
  })

  it('lets nobody undo by the links of the changes that were undone', async () => {
    const { accounts, signIn, change, visit } = await startExample()
    const mallory = await signIn()
    const token = await change(mallory, numbers[1])
    const ofMallory = await change(mallory, numbers[2])
    expect((await visit.submit('/not-me', { token })).status).toBe(200)
    expect((await visit.submit('/not-me', { token: ofMallory })).status).toBe(410)
    expect((await visit.submit('/not-me', { token: 'guess' })).status).toBe(410)
    expect(accounts.get('ana')?.phone).toBe(numbers[0])
    const hostile = await visit.get('/not-me?token="><script>')
    expect(hostile.text).not.toContain('<script>')
  })
})
