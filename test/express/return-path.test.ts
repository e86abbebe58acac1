import type { Request } from 'express'
import { describe, expect, it } from 'vitest'
import { returnPathOf, safePath } from '../../src/express/http/origin.js'
import { waysOut } from '../../src/tools/testing/rehearsal/hostile.js'
import { ok, startLoggedIn, startSignedIn } from './kit.js'

const elsewhere = [...waysOut, '', ' ', `/${'a'.repeat(4_096)}`]

const here = [
  '/',
  '/inbox',
  '/inbox?tab=2&to=//x',
  '/a/b#c',
  '/.//evil.example',
  '/@evil.example',
  '/https://evil.example',
  '/a:80/b',
]

describe('a return path', () => {
  it.each(elsewhere)('is refused when it may lead elsewhere: %j', (path) => {
    expect(safePath(path)).toBeUndefined()
  })

  it.each(here)('is taken as it stands when it stays on the site: %s', (path) => {
    expect(safePath(path)).toBe(path)
    expect(new URL(path, 'https://app.example').origin).toBe('https://app.example')
  })

  it.each([
    { returnTo: ['/a', '/b'] },
    { returnTo: { a: '/b' } },
    { returnTo: 5 },
    ['/a'],
    'returnTo=/a',
    null,
  ])('is none where the form does not name exactly one: %j', (body) => {
    expect(returnPathOf({ method: 'POST', headers: {}, body } as Request)).toBeUndefined()
  })

  it('is not taken from a page that names it in its own query', async () => {
    const { ana } = await startLoggedIn()
    const page = await ana.open(`/two-factor?returnTo=${encodeURIComponent('//evil.example')}`)
    expect(page.text).not.toContain('evil.example')
    const twice = await ana.open('/two-factor?returnTo=/a&returnTo=//evil.example')
    expect(twice.text).not.toContain('evil.example')
  })

  it.each([
    ['https://evil.example/transfers', '/'],
    ['SELF//evil.example', '/'],
    ['SELF/transfers/new', '/transfers/new'],
    ['not a url', '/'],
  ])('after an interrupted form is taken from a page of this site alone: %s', async (referer, location) => {
    const { host, ana } = await startSignedIn()
    const refused = await ana.submit(
      '/transfers',
      { amount: '1', payee: 'a' },
      { referer: referer.replace('SELF', host.url) },
    )
    expect(await host.ledBy(refused.fields.requirement, ana)).toBe(location)
  })

  it('is that of the requirement, whatever path stands beside it', async () => {
    const { host, ana } = await startSignedIn()
    host.clock.now += 60_000
    const referer = `${host.url}/transfers/new`
    const { fields } = await ana.submit('/transfers', { amount: '1', payee: 'a' }, { referer })
    await ana.submit('/two-factor/start', fields)
    const code = { code: host.stub.rightCode, returnTo: '/elsewhere' }
    const verified = await ana.submit('/two-factor/verify', { ...fields, ...code })
    expect(verified.location).toBe('/transfers/new')
  })

  it('is not the request target when that could be another site', async () => {
    const { host, ana } = await startLoggedIn({ mount: (app, tf) => app.use(tf.requireTwoFactor(), ok) })
    const { location } = await ana.open('//evil.example/account')
    expect(location).toMatch(/^\/two-factor\?requirement=/)
    expect(await host.ledBy((await ana.open(location)).fields.requirement, ana)).toBe('/')
  })
})
