import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { type Sent, watchDelivery } from '../../examples/watch-delivery.js'
import {
  type CodeProvider,
  createClient,
  failover,
  ownCodes,
  type ProviderClient,
  providerCodes,
  type TwoFactorEvent,
  twoFactor,
} from '../../src/index.js'
import { startSandbox } from '../../src/tools/sandbox/index.js'

const secret = 'a secret of thirty-two bytes or more'
const patience = 60_000

const providers: Readonly<Record<string, (client: ProviderClient) => CodeProvider>> = {
  providerCodes: (client) => providerCodes({ client, approvedStatuses: ['verified'] }),
  ownCodes: (client) => ownCodes({ client, secret }),
  failover: (client) => failover([providerCodes({ name: 'main', client, approvedStatuses: ['verified'] })]),
}

const fates = [
  ['+573001234567', 'arrived'],
  // A fixed result of the sandbox: rejected.
  ['+573001999901', 'missing'],
  // Sent, and never arrives.
  ['+573001999903', 'missing'],
] as const

/** An app whose codes are looked at, by the account of a sandbox. */
async function startExample({
  dialect = 'spec',
  make = (client) => providerCodes({ client, approvedStatuses: ['verified'] }),
}: {
  dialect?: 'spec' | 'observed'
  make?: (client: ProviderClient) => CodeProvider
} = {}) {
  // Five seconds have passed before the send is answered.
  const onMessage = () => sandbox.clock.advance(5_000)
  const sandbox = await startSandbox({ dialect, onMessage })
  const client = createClient({ baseUrl: sandbox.baseUrl, ...sandbox.credentials })
  const told: (readonly [fate: string, sent: Sent])[] = []
  const onSent = watchDelivery({
    client,
    afterMs: 10,
    tell: (...heard) => told.push(heard),
  })
  const events: TwoFactorEvent[] = []
  const tf = twoFactor({
    provider: make(client),
    appName: 'Acme',
    secret,
    countries: ['CO'],
    subject: () => undefined,
    phone: () => undefined,
    onEvent: (event) => {
      events.push(event)
      onSent(event)
    },
  })
  onTestFinished(async () => {
    await tf.close()
    await sandbox.close()
  })
  const send = (phone: string) =>
    tf.challenges.start({ subject: phone, session: phone, phone, purpose: 'login' })
  return { sandbox, send, told, events }
}

describe.each(['spec', 'observed'] as const)('examples/watch-delivery in the dialect %s', (dialect) => {
  it.each(Object.entries(providers))('tells what became of each code of %s', async (_, make) => {
    const { send, told, events } = await startExample({ dialect, make })
    for (const [phone] of fates) expect(await send(phone)).toMatchObject({ outcome: 'started' })
    await vi.waitFor(() => expect(told).toHaveLength(3), patience)
    for (const [subject, fate] of fates) {
      const about = { subject, channel: 'sms', country: 'CO', messageId: expect.any(String) }
      expect(told).toContainEqual([fate, expect.objectContaining(about)])
    }
    expect(events.filter((event) => 'messageId' in event).map(({ type }) => type)).toEqual(
      Array(3).fill('challenge.sent'),
    )
  })
})

it('examples/watch-delivery tells that the account could not be asked', async () => {
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
    const messageState = async () =>
      Object.assign(
        states.map((state) => (state === undefined ? {} : { state })),
        { raw: null },
      )
    return new Promise<string>((tell) => {
      const onEvent = watchDelivery({ client: { messageState }, words, afterMs: 0, tell })
      onEvent({ ...sent, subject: 'ana', purpose: 'login', channel: 'sms', country: 'CO' })
    })
  }

  it.each([
    [
      'arrived',
      ['DELIVRD', 'Entregado', 'ENTREGADA', 'Recibido', 'Leído', 'Entregue', 'recebida', 'Contestada'],
    ],
    ['missing', ['UNDELIV', 'EXPIRED', 'REJECTD', 'ACCEPTD', 'ENROUTE', 'DELETED', 'Enviado', 'Enviando']],
    ['missing', ['Ocupado', 'No contesta', 'No entregado', 'Não entregue', 'Sin respuesta', 'Buzón de voz']],
    ['missing', ['Error:1081 msg: Destino inaccesible', 'Rejeitada', 'RECHAZADO', 'not delivered']],
    ['unknown', ['UNKNOWN', '', '7', 'Undelivrdly', 'entregadora', undefined]],
  ])('%s: %j', async (fate, states) => {
    for (const state of states) expect([state, await fateOf(state)]).toEqual([state, fate])
  })

  it('in a receipt, whatever text it quotes, and those of the account before them', async () => {
    const receipt = (stat: string) => `id:1 sub:001 dlvrd:001 stat:${stat} err:000 text:No entregado`
    expect([await fateOf(receipt('DELIVRD')), await fateOf(receipt('UNDELIV'))]).toEqual([
      'arrived',
      'missing',
    ])
    expect([await fateOf('zugestellt!'), await fateOf('FORA DE AREA')]).toEqual(['arrived', 'missing'])
  })

  it('of each part: one that is missing counts, then one that is not known', async () => {
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
