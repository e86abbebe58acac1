import express, { type Express, type Request, Router } from 'express'
import { describe, expect, it } from 'vitest'
import { createMountPath } from '../../src/express/http/routes.js'
import type { TwoFactor } from '../../src/index.js'
import { ok, startHost } from './kit.js'

const path = '/app/:tenant/two-factor'

function routes(app: Express, tf: TwoFactor): void {
  app.use('/app/:tenant/two-factor', tf.routes())
  app.get('/app/:tenant/account', tf.requireTwoFactor(), ok)
  // Without mergeParams the parameter is not there.
  app.use(
    '/app/:tenant/shop',
    Router().post('/pay', express.urlencoded({ extended: false }), tf.requireTwoFactor({ purpose: 'pay' })),
  )
  app.get('/elsewhere', tf.requireTwoFactor(), ok)
  app.get('/of/:tenant', tf.requireTwoFactor(), ok)
  app.get('/app/:tenant', tf.requireTwoFactor(), ok)
}

const startTenants = () => startHost({ options: { path, subject: () => 'ana' }, routes })

describe('a path with parameters', () => {
  it('is followed by links, redirects, forms and documents', async () => {
    const host = await startTenants()
    const ana = host.browser()
    expect((await ana.get('/app/acme/account')).json.startUrl).toBe('/app/acme/two-factor/start')
    const page = await ana.open((await ana.open('/app/acme/account?a=1')).location)
    expect(page.text).toContain('action="/app/acme/two-factor/start"')
    expect(page.text).toContain('href="/app/acme/two-factor/page.css"')
    expect((await ana.get('/app/acme/two-factor/page.css')).status).toBe(200)
    const { requirement = '' } = page.fields
    const started = await ana.submit('/app/acme/two-factor/start', { requirement })
    expect(started.location).toMatch(/^\/app\/acme\/two-factor/)
    const right = await ana.submit('/app/acme/two-factor/verify', { requirement, code: host.stub.rightCode })
    expect(right.location).toBe('/app/acme/account?a=1')
    expect((await ana.get('/app/acme/account')).status).toBe(200)
    expect(host.errors).toEqual([])
  })

  it('is read from the address where a router has not merged its parameters', async () => {
    const host = await startTenants()
    const refused = await host.browser().submit('/app/b%20c/shop/pay', {}, { 'sec-fetch-site': 'none' })
    expect(refused.status).toBe(403)
    expect(refused.text).toContain('action="/app/b%20c/two-factor/start"')
  })

  it('is read from the parameters of the route where the address is another', async () => {
    const host = await startTenants()
    expect((await host.browser().get('/of/a%2Fb')).json.startUrl).toBe('/app/a%2Fb/two-factor/start')
  })

  it('is read from an address that is shorter than itself', async () => {
    const host = await startTenants()
    expect((await host.browser().get('/app/acme')).json.startUrl).toBe('/app/acme/two-factor/start')
  })

  it('is a mistake of the host where a guard has no value for it', async () => {
    const host = await startTenants()
    expect((await host.browser().get('/elsewhere')).status).toBe(500)
    expect(String(host.errors[0])).toContain('mount routes and guards below the same parameters')
  })

  it.each([
    ['/:tenant/two-factor', '//evil.example/account', {}],
    ['/:tenant/two-factor', '/', {}],
    ['/app/:tenant/two-factor', '/app/../account', {}],
    ['/app/:tenant/two-factor', '/app/%2e%2e/account', {}],
    ['/app/:tenant/two-factor', '/app/é/account', {}],
    ['/app/:tenant/two-factor', '/other', { tenant: '..' }],
  ])('%s leads to no other place of the site or the web: %s', (pattern, originalUrl, params) => {
    const req = { originalUrl, params, baseUrl: '' } as unknown as Request
    expect(() => createMountPath(pattern).of(req)).toThrow(TypeError)
  })

  it('may hold a name that begins with dots', () => {
    const req = { originalUrl: '/app/..acme/account', params: {}, baseUrl: '' } as unknown as Request
    expect(createMountPath('/app/:tenant/two-factor').of(req)).toBe('/app/..acme/two-factor')
  })

  it('leads to no other site where the routes themselves are asked for by a spelling of one', () => {
    const baseUrl = String.raw`/\evil.example/two-factor`
    const req = { baseUrl, originalUrl: `${baseUrl}/start`, params: {} } as unknown as Request
    expect(() => createMountPath('/:tenant/two-factor').of(req)).toThrow(TypeError)
  })
})
