import { describe, expect, it } from 'vitest'
import { Browser } from '../express/browser.js'
import { withoutRedis } from '../store/redis-server.js'
import { run, runToEnd } from './running.js'

const phone = '+573001234567'

it('examples/step-up admits the transfer that was proven, once', async () => {
  const { origin, codeFor } = await run('step-up')
  const visit = new Browser(origin)
  await visit.get('/')
  const transfer = { amount: 100, payee: 'Luis' }
  const refused = await visit.post('/transfers', transfer)
  expect([refused.status, refused.json.code]).toEqual([403, 'second_factor_required'])
  await visit.post(String(refused.json.startUrl), { requirement: refused.json.requirement })
  await visit.post('/two-factor/verify', { code: await codeFor(phone) })
  expect((await visit.post('/transfers', { ...transfer, amount: 999 })).status).toBe(403)
  expect((await visit.post('/transfers', transfer)).json).toEqual({ transferred: 100, to: 'Luis' })
  expect((await visit.post('/transfers', transfer)).status).toBe(403)
})

it('examples/signup opens an account for a number that was proven, once, and under no name that is taken', async () => {
  const { origin, codeFor } = await run('signup')
  const prove = async (number: string) => {
    const visit = new Browser(origin)
    const started = await visit.post('/signup/phone/start', { phone: number, country: 'CO' })
    expect(started.status).toBe(201)
    await visit.post('/signup/phone/verify', { code: await codeFor(`+57${number}`) })
    return (name: string) => visit.submit('/signup', { name })
  }
  const open = await prove('3001234567')
  const opened = await open('ana')
  expect([opened.status, opened.text]).toEqual([201, `The account of ana has the number ${phone}.`])
  expect((await open('luis')).status).toBe(403)
  const another = await prove('3001234568')
  expect((await another('ana')).status).toBe(409)
  expect((await another('eva')).text).toBe('The account of eva has the number +573001234568.')
})

it('examples/tokens requires a code as in RFC 9470, and then accepts the token again', async () => {
  const { origin, codeFor } = await run('tokens')
  const { json } = await new Browser(origin).post('/token', { name: 'ana', password: 'sesame' })
  const visit = new Browser(origin, { authorization: `Bearer ${json.access_token}` })
  const refused = await visit.get('/account')
  expect(refused.status).toBe(401)
  expect(refused.headers.get('www-authenticate')).toContain('error="insufficient_user_authentication"')
  expect((await visit.post('/two-factor/start', { purpose: 'login' })).status).toBe(201)
  await visit.post('/two-factor/verify', { code: await codeFor(phone) })
  expect((await visit.get('/account')).json).toMatchObject({ name: 'ana' })
  expect((await new Browser(origin).get('/account')).status).toBe(401)
})

describe('examples/redis', () => {
  it.skipIf(withoutRedis)('signs in through any of the processes, and both know the sign-in', async () => {
    const { origin, codeFor } = await run('redis')
    const visit = new Browser(origin)
    expect((await visit.post('/login', { name: 'ana', password: 'sesame' })).status).toBe(201)
    expect((await visit.post('/two-factor/verify', { code: 'wrong1' })).json.attemptsRemaining).toBe(4)
    expect((await visit.post('/two-factor/verify', { code: 'wrong2' })).json.attemptsRemaining).toBe(3)
    expect((await visit.get('/account')).status).toBe(403)
    await visit.post('/two-factor/verify', { code: await codeFor(phone) })
    const answers = [await visit.get('/account'), await visit.get('/account')]
    const processes = answers.map(({ text }) => text.match(/^Signed in as ana, says process (\d+)\.$/)?.[1])
    expect(new Set(processes).size).toBe(2)
    expect(processes).not.toContain(undefined)
  })

  it('reports the missing part without Redis', async () => {
    const { code, output } = await runToEnd('redis', [], { PATH: '/nowhere' })
    expect(code).toBe(1)
    expect(output).toContain('There is no redis-server on the PATH.')
  })
})
