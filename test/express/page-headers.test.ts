import express from 'express'
import { describe, expect, it } from 'vitest'
import { path as accountPath, signIn, startAccounts } from '../account/kit.js'
import type { Answer } from './browser.js'
import { ok, startLoggedIn, startSignedIn } from './kit.js'

const policyOf = ({ headers }: Answer) => headers.get('content-security-policy') ?? ''

describe('form-action of a page', () => {
  it('is absent where its form ends a sign-in, whose app may continue on another site', async () => {
    const { ana } = await startLoggedIn({ options: { pages: { links: { signIn: 'https://id.example/' } } } })
    const start = await ana.open('/two-factor')
    await ana.submit('/two-factor/start')
    const code = await ana.open('/two-factor')
    const wrong = await ana.submit('/two-factor/verify', { code: '000000' })
    for (const page of [start, code, wrong]) {
      expect(policyOf(page)).toContain("default-src 'none'")
      expect(policyOf(page)).not.toContain('form-action')
    }
    expect((await ana.submit('/two-factor/cancel')).location).toBe('https://id.example/')
  })

  it('is absent where its form ends a step-up or is a saved form', async () => {
    const { host, ana } = await startSignedIn(withTransfer)
    host.clock.now += 5 * 60_000
    const refused = await ana.submit('/transfer', { payee: 'ben@example.com' })
    const { requirement = '' } = refused.fields
    const right = await ana.submit('/two-factor/verify', { requirement, code: host.stub.rightCode })
    const saved = await ana.open(right.location)
    expect(saved.text).toContain('ben@example.com')
    for (const page of [refused, saved]) expect(policyOf(page)).not.toContain('form-action')
  })

  it('is this site on account pages and own pages', async () => {
    const ana = await signIn(await startAccounts({ app: true }))
    expect(policyOf(await ana.open(accountPath))).toContain("form-action 'self'")
  })
})

describe('a page that shows what a code confirms', () => {
  it('forbids proxies to rewrite it, such as the mail address of a payee', async () => {
    const { host, ana } = await startSignedIn(withTransfer)
    host.clock.now += 5 * 60_000
    const refused = await ana.submit('/transfer', { payee: 'ben@example.com' })
    expect(refused.text).toContain('ben@example.com')
    expect(refused.headers.get('cache-control')).toBe('no-store, no-transform')
    const plain = await ana.open('/two-factor?purpose=login')
    expect(plain.headers.get('cache-control')).toBe('no-store')
  })
})

describe('the files of a page', () => {
  it('have the version in their URL, which changes with the look', async () => {
    const filesOf = async (css: string) => {
      const { ana } = await startLoggedIn({ options: { pages: { brand: { name: 'Acme', css } } } })
      const { text } = await ana.open('/two-factor')
      return [/page\.css\?v=([\da-f]{8})"/, /page\.js\?v=(\d+\.\d+\.\d+)"/].map((of) => of.exec(text)?.[1])
    }
    const [style, script] = await filesOf('p { margin: 0 }')
    const [otherStyle, sameScript] = await filesOf('p { margin: 1px }')
    expect([style, script]).not.toContain(undefined)
    expect([otherStyle === style, sameScript]).toEqual([false, script])
  })
})

const withTransfer: Parameters<typeof startSignedIn>[0] = {
  mount(app, tf) {
    const guard = tf.requireTwoFactor({
      purpose: 'transfer',
      once: true,
      resume: true,
      bind: (req) => ({ payee: req.body.payee }),
      describe: (req) => ({ rows: [['To', String(req.body.payee)]] }),
    })
    app.post('/transfer', express.urlencoded({ extended: false }), guard, ok)
  },
}
