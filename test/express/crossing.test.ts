import { describe, expect, it } from 'vitest'
import { codeProvidersOfEachKind } from './code-providers.js'
import { phones, startChallenged, startHost, startLoggedIn } from './kit.js'

const minute = 60_000

describe.each(codeProvidersOfEachKind)('a code, over %s,', (name, provider) => {
  const hasHandles = name !== codeProvidersOfEachKind[0]?.[0]

  it("of one challenge is worth nothing in another subject's session", async () => {
    const host = await startHost({ provider })
    const ana = await host.login('ana')
    const ben = await host.login('ben')
    await ana.start()
    const anasCode = host.stub.rightCode
    expect((await ben.verify(anasCode)).status).toBe(410)
    expect(host.stub.checks).toEqual([])
  })

  it('works for neither of two subjects with one number but who asked for it', async () => {
    const host = await startHost({ provider })
    const ana = await host.login('ana')
    const other = await host.login('ana2')
    await ana.start()
    expect((await other.verify(host.stub.rightCode)).status).toBe(410)
    host.clock.now += minute
    expect((await other.start()).status).toBe(201)
    // Her number got a code for another account since; where a code has a handle, hers is another one than that.
    expect((await ana.verify(host.stub.rightCode)).status).toBe(hasHandles ? 422 : 410)
    expect((await other.verify(host.stub.rightCode)).status).toBe(200)
  })

  it('is superseded by one from another session of the same subject', async () => {
    const host = await startHost({ provider })
    const first = await host.login()
    const second = await host.login()
    await first.start()
    host.clock.now += minute
    await second.start()
    expect((await first.verify(host.stub.rightCode)).refusal).toEqual([409, 'challenge_superseded'])
  })

  it('is worth nothing after the subject of the session changed', async () => {
    const host = await startHost({ provider })
    const browser = await host.challenged('ana')
    await browser.post('/login', { user: 'ben' })
    expect((await browser.verify(host.stub.rightCode)).status).toBe(410)
    expect(host.stub.checks).toEqual([])
  })

  it('is worth nothing after the number on file changed', async () => {
    const numbers = { ...phones }
    const host = await startHost({ provider, options: { phone: (_req, subject) => numbers[subject] } })
    const ana = await host.challenged('ana')
    numbers.ana = '+573005555555'
    expect((await ana.verify(host.stub.rightCode)).status).toBe(410)
    expect(host.stub.checks).toEqual([])
  })

  it('is worth nothing a second time', async () => {
    const { host, ana } = await startChallenged({ provider })
    const code = host.stub.rightCode
    expect((await ana.verify(code)).status).toBe(200)
    expect((await ana.verify(code)).status).toBe(410)

    // Also when the provider takes it again for the next challenge.
    host.stub.answerSend = () => ({ json: { id: 'a2' } })
    await ana.start()
    expect((await ana.verify(code)).status).toBe(422)
    expect(host.stub.checks).toHaveLength(1)
  })

  it('for one purpose gives no grant for another', async () => {
    const { host, ana } = await startLoggedIn({ provider })
    await host.confirm(ana, { purpose: 'transfer' })
    expect((await ana.get('/account')).status).toBe(403)
  })
})
