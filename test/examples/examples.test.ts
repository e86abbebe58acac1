import { describe, expect, it } from 'vitest'
import { withoutRedis } from '../store/redis-server.js'
import { createVisitor } from './browser.js'
import { run, runToEnd } from './running.js'

const phone = '+573001234567'
describe('examples/login', () => {
  it('signs in with plain forms', async () => {
    const { origin, codeFor } = await run('login')
    const visit = createVisitor(origin)
    const page = (await visit('GET', '/')).text
    expect(page).toContain('name="returnTo" value="/account"')
    const started = await visit(
      'POST',
      '/login',
      new URLSearchParams('name=ana&password=sesame&returnTo=/account'),
    )
    expect(started.status).toBe(303)
    const returnTo = new URL(started.location, origin).searchParams.get('returnTo') ?? ''
    const form = new URLSearchParams({ code: await codeFor(phone), returnTo })
    const verified = await visit('POST', '/two-factor/verify', form)
    expect([verified.status, verified.location]).toEqual([303, '/account'])
    expect((await visit('GET', '/account')).text).toBe('Signed in as ana.')
  })
})

describe('examples/step-up', () => {
  it('admits the transfer that was proven, once', async () => {
    const { origin, codeFor } = await run('step-up')
    const visit = createVisitor(origin)
    await visit('GET', '/')
    const transfer = { amount: 100, payee: 'Luis' }
    const refused = await visit('POST', '/transfers', transfer)
    expect([refused.status, refused.body.code]).toEqual([403, 'second_factor_required'])
    await visit('POST', String(refused.body.startUrl), { requirement: refused.body.requirement })
    await visit('POST', '/two-factor/verify', { code: await codeFor(phone) })
    expect((await visit('POST', '/transfers', { ...transfer, amount: 999 })).status).toBe(403)
    expect((await visit('POST', '/transfers', transfer)).body).toEqual({ transferred: 100, to: 'Luis' })
    expect((await visit('POST', '/transfers', transfer)).status).toBe(403)
  })
})

describe('examples/signup', () => {
  it('opens an account for a number that was proven, once', async () => {
    const { origin, codeFor } = await run('signup')
    const visit = createVisitor(origin)
    expect(
      (await visit('POST', '/signup/phone/start', { phone: '300 123 4567', country: 'CO' })).status,
    ).toBe(201)
    await visit('POST', '/signup/phone/verify', { code: await codeFor(phone) })
    const opened = await visit('POST', '/signup', new URLSearchParams({ name: 'ana' }))
    expect([opened.status, opened.text]).toEqual([201, `The account of ana has the number ${phone}.`])
    expect((await visit('POST', '/signup', new URLSearchParams({ name: 'eva' }))).status).toBe(403)
  })

  it('refuses a name that is taken, and leaves the proof for another one', async () => {
    const { origin, codeFor } = await run('signup')
    const other = '+573001234568'
    const prove = async (number: string) => {
      const visit = createVisitor(origin)
      await visit('POST', '/signup/phone/start', { phone: number })
      await visit('POST', '/signup/phone/verify', { code: await codeFor(number) })
      return (name: string) => visit('POST', '/signup', new URLSearchParams({ name }))
    }
    expect((await (await prove(phone))('ana')).status).toBe(201)
    const open = await prove(other)
    expect((await open('ana')).status).toBe(409)
    expect((await open('eva')).text).toBe(`The account of eva has the number ${other}.`)
  })
})

describe('examples/tokens', () => {
  it('asks for a code as RFC 9470 says, and then lets the same token pass', async () => {
    const { origin, codeFor } = await run('tokens')
    const { body } = await createVisitor(origin)('POST', '/token', { name: 'ana', password: 'sesame' })
    const visit = createVisitor(origin, { authorization: `Bearer ${body.access_token}` })
    const refused = await visit('GET', '/account')
    expect(refused.status).toBe(401)
    expect(refused.headers.get('www-authenticate')).toContain('error="insufficient_user_authentication"')
    expect((await visit('POST', '/two-factor/start', { purpose: 'login' })).status).toBe(201)
    await visit('POST', '/two-factor/verify', { code: await codeFor(phone) })
    expect((await visit('GET', '/account')).body).toMatchObject({ name: 'ana' })
    expect((await createVisitor(origin)('GET', '/account')).status).toBe(401)
  })
})

describe('examples/redis', () => {
  it.skipIf(withoutRedis)('signs in by whichever process has the turn, and both know of it', async () => {
    const { origin, codeFor } = await run('redis')
    const visit = createVisitor(origin)
    expect((await visit('POST', '/login', { name: 'ana', password: 'sesame' })).status).toBe(201)
    expect((await visit('POST', '/two-factor/verify', { code: 'wrong1' })).body.attemptsRemaining).toBe(4)
    expect((await visit('POST', '/two-factor/verify', { code: 'wrong2' })).body.attemptsRemaining).toBe(3)
    expect((await visit('GET', '/account')).status).toBe(403)
    await visit('POST', '/two-factor/verify', { code: await codeFor(phone) })
    const answers = [await visit('GET', '/account'), await visit('GET', '/account')]
    const processes = answers.map(({ text }) => text.match(/^Signed in as ana, says process (\d+)\.$/)?.[1])
    expect(new Set(processes).size).toBe(2)
    expect(processes).not.toContain(undefined)
  })

  it('says what is missing where there is no Redis', async () => {
    const { code, output } = await runToEnd('redis', [], { PATH: '/nowhere' })
    expect(code).toBe(1)
    expect(output).toContain('There is no redis-server on the PATH.')
  })
})
