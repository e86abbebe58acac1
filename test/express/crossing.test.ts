import { describe, expect, it } from 'vitest'
import { codeProvidersOfEachKind } from './code-providers.js'
import { phones, startChallenged, startHost, stubCodes } from './kit.js'

describe.each(codeProvidersOfEachKind)('a code, over %s,', (_name, provider, areToldApart) => {
  it('of one challenge is refused in a session of another subject', async () => {
    const { host, ana } = await startChallenged({ provider })
    const ben = await host.login('ben')
    expect((await ben.verify(host.stub.rightCode)).status).toBe(410)
    // Nor where the session becomes that of somebody else.
    await ana.post('/login', { user: 'ben' })
    expect((await ana.verify(host.stub.rightCode)).status).toBe(410)
    expect(host.stub.checks).toEqual([])
  })

  it('works for neither of two subjects with one number but who asked for it', async () => {
    const { host, ana } = await startChallenged({ provider })
    const other = await host.login('ana2')
    expect((await other.verify(host.stub.rightCode)).status).toBe(410)
    host.clock.now += 60_000
    expect((await other.start()).status).toBe(201)
    // Her number got a code for another account since; where codes are told apart, hers is another one than that.
    expect((await ana.verify(host.stub.rightCode)).status).toBe(areToldApart ? 422 : 410)
    expect((await other.verify(host.stub.rightCode)).status).toBe(200)
  })

  it('approves no other account whose own send, with no answer, may not have ended it', async () => {
    const { host } = await startChallenged({ provider })
    const anas = host.stub.rightCode
    host.clock.now += 60_000
    host.stub.answerSend = () => ({ status: 500, text: '' })
    const other = await host.login('ana2')
    expect((await other.start()).status).toBe(202)
    expect((await other.verify(anas)).status).toBe(areToldApart ? 422 : 410)
  })

  it('is refused after the number on file has changed', async () => {
    const numbers = { ...phones }
    const { host, ana } = await startChallenged({
      provider,
      options: { phone: (_req, subject) => numbers[subject] },
    })
    numbers.ana = '+573005555555'
    expect((await ana.verify(host.stub.rightCode)).status).toBe(410)
    expect(host.stub.checks).toEqual([])
  })

  it('is refused the second time', async () => {
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
})

it('a process with a memory store accepts a used code again after a restart, and no pending one', async () => {
  const { host, ana } = await startChallenged()
  const code = host.stub.rightCode
  expect((await ana.verify(code)).status).toBe(200)
  const ben = await host.challenged('ben')
  const restarted = await startHost({ provider: () => stubCodes(host.stub) })
  expect((await ben.copy(restarted.url).verify(host.stub.rightCode)).refusal[0]).toBeGreaterThanOrEqual(401)
  const again = await restarted.challenged()
  host.stub.answerCheck = ({ form }) => ({ json: { status: form.code === code ? 'verified' : 'wrong' } })
  expect((await again.verify(code)).status).toBe(200)
})
