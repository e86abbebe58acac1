import express from 'express'
import { describe, expect, it } from 'vitest'
import { startPasskeyHost } from '../passkeys/kit.js'
import { describedTransfers, mum, transfersAt } from './described-transfers.js'
import type { HostOptions } from './kit.js'

/** Returns the options of the browser and the hidden fields of the form for passkeys. */
function passkeyFormIn(page: string) {
  const [, form = ''] = /(<form [^>]*data-passkey.*?<\/form>)/s.exec(page) ?? []
  const [, options = ''] = /data-passkey="([^"]*)"/.exec(form) ?? []
  const fields = [...form.matchAll(/type="hidden" name="(\w+)" value="([^"]*)"/g)]
  return {
    form,
    publicKey: options === '' ? undefined : JSON.parse(options.replaceAll('&quot;', '"')),
    fields: Object.fromEntries(fields.map(([, name = '', value = '']) => [name, value])),
  }
}

describe('the page of an account with a passkey', () => {
  it('offers it first, hidden until a script shows it, and the texts below', async () => {
    const { host, ofAna } = await startPasskeyHost()
    const ana = await host.login()
    const page = await ana.open('/two-factor')
    const { form, publicKey, fields } = passkeyFormIn(page.text)
    expect(form).toMatch(/^<form method="post" action="\/two-factor\/verify" novalidate hidden /)
    expect(form).toContain('Use a passkey')
    const [before = '', after = ''] = page.text.split(form)
    expect(before).not.toContain('<form')
    expect(after).toMatch(/name="destination" value="[\w-]+"[^>]*>Text/)
    expect(after).not.toContain('passkey')
    const passkey = JSON.stringify(ofAna.sign(publicKey))
    const right = await ana.submit('/two-factor/verify', { ...fields, passkey })
    expect([right.status, right.location]).toEqual([303, '/'])
    expect((await ana.get('/account')).status).toBe(200)
    expect(host.stub.sends).toEqual([])
  })

  it('is where a start without a choice leads, and sends a text by one press', async () => {
    const { host } = await startPasskeyHost()
    const ana = await host.login()
    const started = await ana.submit('/two-factor/start')
    expect(started.location).toBe('/two-factor?method=any')
    const page = await ana.open(started.location)
    expect(passkeyFormIn(page.text).publicKey).toBeDefined()
    const [, destination = ''] = /name="destination" value="([\w-]+)"/.exec(page.text) ?? []
    await ana.submit('/two-factor/start', { destination })
    expect(host.stub.sends).toHaveLength(1)
    const code = await ana.open('/two-factor')
    expect(code.text).toContain('Check your phone')
    expect(passkeyFormIn(code.text).form).toBe('')
    expect(code.text).toContain('method=any')
  })

  it('reports the failure with a fresh challenge, also for an expired one', async () => {
    const { host, ofAna } = await startPasskeyHost()
    const ana = await host.login()
    const { fields, publicKey } = passkeyFormIn((await ana.open('/two-factor')).text)
    const wrong = await ana.submit('/two-factor/verify', { ...fields, passkey: '{}' })
    expect(wrong.status).toBe(422)
    expect(wrong.text).toContain('That passkey didn&#39;t work')
    expect(wrong.text).not.toContain('tries left')
    host.clock.now += 600_000
    const late = await ana.submit('/two-factor/verify', {
      ...fields,
      passkey: JSON.stringify(ofAna.sign(publicKey)),
    })
    expect(late.status).toBe(410)
    expect(late.text).toContain('That passkey didn&#39;t work')
    const again = passkeyFormIn(late.text)
    const passkey = JSON.stringify(ofAna.sign(again.publicKey))
    expect((await ana.submit('/two-factor/verify', { ...again.fields, passkey })).status).toBe(303)
  })

  it('explains to a browser without scripts that only a passkey will do', async () => {
    const { host } = await startPasskeyHost()
    const zoe = await host.login('zoe')
    const page = await zoe.open('/two-factor')
    expect(page.text).toContain('data-without-passkey')
    expect(page.text).not.toContain('We will send a code')
    const ana = await host.login()
    expect((await ana.open('/two-factor')).text).not.toContain('data-without-passkey')
    const ben = await host.login('ben')
    expect((await ben.open('/two-factor')).text).not.toContain('passkey')
  })

  it('shows the details that the passkey confirms, and confirms no others', async () => {
    const { host, ofAna } = await startPasskeyHost({ mount: describedTransfers })
    const ana = await host.login()
    await host.confirm(ana, { channel: 'sms' })
    const page = await ana.submit('/pay', mum)
    expect(page.status).toBe(403)
    expect(page.text).toContain('<dd><bdi>Mum</bdi></dd>')
    const { fields, publicKey } = passkeyFormIn(page.text)
    const passkey = JSON.stringify(ofAna.sign(publicKey))
    expect((await ana.submit('/two-factor/verify', { ...fields, passkey })).status).toBe(303)
    expect((await ana.post('/pay', { ...mum, payee: 'Mallory' })).status).toBe(403)
    expect((await ana.post('/pay', mum)).status).toBe(200)
    expect(host.stub.sends).toHaveLength(1)
  })

  it.each([
    ['en', 'You&#39;ve confirmed that it&#39;s you.'],
    ['es', 'Confirmaste que eres tú.'],
    ['pt', 'Você confirmou que é você.'],
  ])('speaks of no code when a passkey confirmed a saved form, in %s', async (language, confirmed) => {
    const parsers = [express.urlencoded({ extended: false })]
    const mount: HostOptions['mount'] = (app, tf) => {
      transfersAt('/pay', { resume: true }, parsers)(app, tf)
      const bind = ({ body }: express.Request) => ({ amount: body.amount })
      app.post('/plain', parsers, tf.requireTwoFactor({ purpose: 'plain', resume: true, bind }))
    }
    for (const path of ['/pay', '/plain']) {
      const { host, ofAna } = await startPasskeyHost({ mount })
      const ana = await host.login()
      await host.confirm(ana, { channel: 'sms' })
      const page = await ana.submit(path, mum)
      const { fields, publicKey } = passkeyFormIn(page.text)
      const passkey = JSON.stringify(ofAna.sign(publicKey))
      const right = await ana.submit('/two-factor/verify', { ...fields, passkey })
      const kept = await ana.get(right.location, { accept: 'text/html', 'accept-language': language })
      expect(kept.text).toContain(confirmed)
      expect(kept.text).not.toMatch(/c[oó]d(e|igo)/i)
    }
  })

  it('has the passkey alone where a guard accepts nothing else', async () => {
    const parsers = [express.urlencoded({ extended: false })]
    const { host, ofAna } = await startPasskeyHost({
      mount: transfersAt('/pay', { methods: ['passkey'] }, parsers),
    })
    const ana = await host.login()
    await host.confirm(ana, { channel: 'sms' })
    const page = await ana.submit('/pay', mum)
    const { fields, publicKey } = passkeyFormIn(page.text)
    expect(page.text).not.toContain('name="destination"')
    expect(page.text).not.toContain('name="channel"')
    const passkey = JSON.stringify(ofAna.sign(publicKey))
    expect((await ana.submit('/two-factor/verify', { ...fields, passkey })).status).toBe(303)
    expect((await ana.submit('/pay', mum)).status).toBe(200)
    const ben = await host.login('ben')
    await host.confirm(ben)
    expect((await ben.submit('/pay', mum)).text).not.toContain('data-passkey')
  })

  it('is there while texts are locked', async () => {
    const { host, ofAna } = await startPasskeyHost({ options: { limits: { failuresBeforeLock: 1 } } })
    const ana = await host.login()
    await ana.start({ channel: 'sms' })
    await ana.verify('000000')
    const { fields, publicKey } = passkeyFormIn((await ana.open('/two-factor?method=any')).text)
    const passkey = JSON.stringify(ofAna.sign(publicKey))
    expect((await ana.submit('/two-factor/verify', { ...fields, passkey })).status).toBe(303)
  })
})
