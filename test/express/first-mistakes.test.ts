import express from 'express'
import { describe, expect, it } from 'vitest'
import { createClient } from '../../src/index.js'
import { type HostOptions, hearWarnings, ok, startLoggedIn, startSignedIn } from './kit.js'

const warned = hearWarnings()
const warnings = async (code: string) => {
  await warned.codes()
  return warned.said.filter((one) => one.code === code)
}

const withRoutesAt = (mount: string | undefined, isMade = true): HostOptions => ({
  routes(app, tf) {
    app.post('/login', express.json(), express.urlencoded({ extended: false }), (req, _res, next) => {
      req.session.pendingUserId = 'ana'
      next()
    })
    app.post('/login', tf.start({ purpose: 'login' }))
    if (isMade && mount !== undefined) app.use(mount, tf.routes())
    app.get('/account', tf.requireTwoFactor(), ok)
  },
})

describe('routes that users do not reach', () => {
  it('warn once where tf.routes() was never called', async () => {
    const { ana } = await startLoggedIn(withRoutesAt(undefined))
    await ana.open('/account')
    await ana.open('/account')
    const said = await warnings('TWO_FACTOR_ROUTES_NOT_MOUNTED')
    expect(said).toHaveLength(1)
    expect(said[0]?.message).toContain("(path: '/two-factor')")
  })

  it('warn at the first code for a program where tf.routes() was never called', async () => {
    await startLoggedIn(withRoutesAt(undefined))
    expect(await warnings('TWO_FACTOR_ROUTES_NOT_MOUNTED')).toHaveLength(1)
  })

  it('are a finding of the self-test, with the whole fix, until a request arrives', async () => {
    const { host, ana } = await startLoggedIn(withRoutesAt('/two-factor'))
    const found = async () => (await host.tf.selfTest()).findings
    for (let time = 0; time < 3; time += 1) await ana.open('/account')
    const fix = expect.stringMatching(/^Mount them .* set the option `prefix`\.$/)
    expect(await found()).toContainEqual(expect.objectContaining({ code: 'routes_not_mounted', fix }))
    await ana.open('/two-factor')
    expect(await found()).not.toContainEqual(expect.objectContaining({ code: 'routes_not_mounted' }))
  })

  it('warn after three users where a request never arrives', async () => {
    const { host } = await startLoggedIn(withRoutesAt('/elsewhere'))
    const openAccount = async () => (await host.login()).open('/account')
    await openAccount()
    await openAccount()
    expect(await warnings('TWO_FACTOR_ROUTES_NOT_MOUNTED')).toEqual([])
    await openAccount()
    expect(await warnings('TWO_FACTOR_ROUTES_NOT_MOUNTED')).toHaveLength(1)
  })

  it('warn once if they are mounted at another path, such as a path that a proxy keeps', async () => {
    const { ana } = await startLoggedIn(withRoutesAt('/shop/two-factor'))
    await ana.open('/shop/two-factor')
    await ana.open('/shop/two-factor')
    const said = await warnings('TWO_FACTOR_ROUTES_ELSEWHERE')
    expect(said).toHaveLength(1)
    expect(said[0]?.message).toContain("(path: '/two-factor', mounted at '/shop/two-factor')")
  })

  it('warn of nothing at their path, in any case', async () => {
    const { ana } = await startLoggedIn(withRoutesAt('/Two-Factor'))
    for (let time = 0; time < 4; time += 1) await ana.open((await ana.open('/account')).location)
    for (const code of ['TWO_FACTOR_ROUTES_ELSEWHERE', 'TWO_FACTOR_ROUTES_NOT_MOUNTED']) {
      expect(await warnings(code)).toEqual([])
    }
  })
})

describe('a bind with a misspelt field', () => {
  const withBind = (name: string, second?: string): HostOptions => ({
    mount(app, tf) {
      const bind = ({ body }: express.Request) => ({
        amount: body[name],
        ...(second && { payee: body[second] }),
      })
      app.post('/pay', express.json(), tf.requireTwoFactor({ purpose: 'pay', bind }), ok)
    },
  })

  it('warns once where all fields of a filled body are undefined', async () => {
    const { ana } = await startSignedIn(withBind('amuont'))
    for (let time = 0; time < 2; time += 1) expect((await ana.post('/pay', { amount: 5 })).status).toBe(400)
    expect(await warnings('TWO_FACTOR_BIND_EMPTY')).toHaveLength(1)
  })

  it('warns once where a field is undefined that the body has', async () => {
    const { ana } = await startSignedIn(withBind('amuont', 'payee'))
    for (let time = 0; time < 2; time += 1) {
      expect((await ana.post('/pay', { amount: 5, payee: 'mum' })).status).toBe(400)
    }
    expect(await warnings('TWO_FACTOR_BIND_EMPTY')).toHaveLength(1)
  })

  it('is not assumed for a field that the client omitted', async () => {
    const { ana } = await startSignedIn(withBind('amount', 'payee'))
    expect((await ana.post('/pay', { payee: 'mum' })).status).toBe(400)
    expect(await warnings('TWO_FACTOR_BIND_EMPTY')).toEqual([])
  })

  it('is not assumed for an empty body or a field that was sent', async () => {
    const { ana } = await startSignedIn(withBind('amount'))
    expect((await ana.post('/pay', {})).status).toBe(400)
    expect((await ana.post('/pay', { amount: 5 })).status).toBe(403)
    expect(await warnings('TWO_FACTOR_BIND_EMPTY')).toEqual([])
  })
})

it('a baseUrl without a version segment warns once, and one with paths of its own does not', async () => {
  const make = (more: object) =>
    createClient({ baseUrl: 'https://first-mistakes.example.com', client: 41, key: 'k', ...more })
  make({ baseUrl: 'https://api.example.com/v1' })
  expect(await warnings('TWO_FACTOR_BASE_URL')).toEqual([])
  make({})
  make({})
  expect(await warnings('TWO_FACTOR_BASE_URL')).toHaveLength(1)
})
