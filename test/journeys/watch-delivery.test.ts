import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { type Sent, watchDelivery } from '../../examples/watch-delivery.js'
import { createClient, failover, providerCodes, twoFactor } from '../../src/index.js'
import { startSandbox } from '../../src/tools/sandbox/index.js'

const patience = 60_000

const fates = [
  ['+573001234567', 'arrived'],
  // A fixed result of the sandbox: rejected.
  ['+573001999901', 'missing'],
  // Sent, and never arrives.
  ['+573001999903', 'missing'],
] as const

/** An app whose codes are looked at, by the account of a sandbox that answers in this dialect. */
async function startExample(dialect: 'spec' | 'observed' = 'spec') {
  // Five seconds have passed before the send is answered.
  const onMessage = () => sandbox.clock.advance(5_000)
  const sandbox = await startSandbox({ dialect, onMessage })
  const client = createClient({ baseUrl: sandbox.baseUrl, ...sandbox.credentials })
  const told: (readonly [fate: string, sent: Sent])[] = []
  const onSent = watchDelivery({ client, afterMs: 10, tell: (...heard) => told.push(heard) })
  const tf = twoFactor({
    provider: failover([providerCodes({ name: 'main', client, approvedStatuses: ['verified'] })]),
    appName: 'Acme',
    secret: 'a secret of thirty-two bytes or more',
    countries: ['CO'],
    subject: () => undefined,
    phone: () => undefined,
    onEvent: onSent,
  })
  onTestFinished(async () => {
    await tf.close()
    await sandbox.close()
  })
  const send = (phone: string) =>
    tf.challenges.start({ subject: phone, session: phone, phone, purpose: 'login' })
  return { sandbox, send, told }
}

it.each(['spec', 'observed'] as const)(
  'examples/watch-delivery reports the outcome of each code, in the dialect %s',
  async (dialect) => {
    const { send, told } = await startExample(dialect)
    for (const [phone] of fates) expect(await send(phone)).toMatchObject({ outcome: 'started' })
    await vi.waitFor(() => expect(told).toHaveLength(3), patience)
    for (const [subject, fate] of fates) {
      const about = { subject, channel: 'sms', country: 'CO', messageId: expect.any(String) }
      expect(told).toContainEqual([fate, expect.objectContaining(about)])
    }
  },
)

it('examples/watch-delivery reports that the account could not be read', async () => {
  const { sandbox, send, told } = await startExample()
  sandbox.faults.add({ operation: 'messageState', kind: 'status' })
  await send('+573001234567')
  await vi.waitFor(() => expect(told).toMatchObject([['unknown', { type: 'challenge.sent' }]]), patience)
})

describe('examples/watch-delivery knows the words of the field', () => {
  const sent = { type: 'challenge.sent', at: 0, challengeId: 'c1', lane: 'auth', messageId: 'm1' } as const
  const words = { 'Fora de área': 'missing', Zugestellt: 'arrived' } as const

  /** What is told of a message with these states. */
  async function fateOf(...states: (string | undefined)[]) {
    const parts = states.map((state) => (state === undefined ? {} : { state }))
    const messageState = async () => Object.assign(parts, { raw: null })
    return new Promise<string>((tell) => {
      const onEvent = watchDelivery({ client: { messageState }, words, afterMs: 0, tell })
      onEvent({ ...sent, subject: 'ana', purpose: 'login', channel: 'sms', country: 'CO' })
    })
  }

  it.each([
    ['arrived', ['DELIVRD', 'ENTREGADA', 'Recibido', 'Leído', 'Entregue', 'Contestada', 'Confirmado']],
    ['missing', ['UNDELIV', 'EXPIRED', 'ENROUTE', 'Enviado', 'Ocupado', 'No contesta', 'No entregado']],
    ['missing', ['Não entregue', 'Buzón de voz', 'Error:1081 msg: Destino inaccesible', 'not delivered']],
    ['unknown', ['UNKNOWN', '', '7', 'Undelivrdly', 'entregadora', undefined]],
  ])('%s: %j', async (fate, states) => {
    for (const state of states) expect([state, await fateOf(state)]).toEqual([state, fate])
  })

  it('in a receipt with any quoted text, and words of the account before them', async () => {
    const receipt = (stat: string) => `id:1 sub:001 dlvrd:001 stat:${stat} err:000 text:No entregado`
    const told = [await fateOf(receipt('DELIVRD')), await fateOf(receipt('UNDELIV'))]
    expect(told).toEqual(['arrived', 'missing'])
    expect([await fateOf('zugestellt!'), await fateOf('FORA DE AREA')]).toEqual(['arrived', 'missing'])
  })

  it('of each part, where a missing part counts first, then an unknown one', async () => {
    expect(await fateOf('DELIVRD', '?', 'EXPIRED')).toBe('missing')
    expect(await fateOf('DELIVRD', '?')).toBe('unknown')
  })
})

it('examples/watch-delivery looks 15 seconds after the send, at messages with a name', async () => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  const messageState = vi.fn(() => Promise.reject(new Error('the test answers nothing')))
  const onEvent = watchDelivery({ client: { messageState }, tell: () => {} })
  const sent = { type: 'challenge.sent', at: 0, challengeId: 'c1', lane: 'auth', subject: 'ana' } as const
  onEvent({ ...sent, purpose: 'login', channel: 'sms', country: 'CO' })
  onEvent({ ...sent, purpose: 'login', channel: 'sms', country: 'CO', messageId: 'm1' })
  await vi.advanceTimersByTimeAsync(14_999)
  expect(messageState).not.toHaveBeenCalled()
  await vi.advanceTimersByTimeAsync(1)
  expect(messageState).toHaveBeenCalledExactlyOnceWith({ id: 'm1' })
})
