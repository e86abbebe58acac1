import { describe, expect, it, onTestFinished, vi } from 'vitest'
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

const providers: Readonly<Record<string, (client: ProviderClient) => CodeProvider>> = {
  providerCodes: (client) => providerCodes({ client, approvedStatuses: ['verified'] }),
  ownCodes: (client) => ownCodes({ client, secret }),
  failover: (client) => failover([providerCodes({ name: 'main', client, approvedStatuses: ['verified'] })]),
}

const fates = [
  ['+573001234567', 'message.delivered'],
  // A fixed result of the sandbox: rejected.
  ['+573001999901', 'message.rejected'],
  // Sent, and never arrives.
  ['+573001999903', 'message.unknown'],
] as const

describe.each(['spec', 'observed'] as const)('in the dialect %s', (dialect) => {
  it.each(Object.entries(providers))('%s tells what became of each code', async (_, make) => {
    // Five seconds have passed before the send is answered.
    const onMessage = () => sandbox.clock.advance(5_000)
    const sandbox = await startSandbox({ dialect, onMessage })
    const client = createClient({ baseUrl: sandbox.baseUrl, ...sandbox.credentials })
    const events: TwoFactorEvent[] = []
    const tf = twoFactor({
      provider: make(client),
      appName: 'Acme',
      secret,
      countries: ['CO'],
      subject: () => undefined,
      phone: () => undefined,
      watch: { delivery: { afterMs: 10 } },
      onEvent: (event) => events.push(event),
    })
    onTestFinished(async () => {
      await tf.close()
      await sandbox.close()
    })
    for (const [phone] of fates) {
      const who = { subject: phone, session: phone, phone, purpose: 'login' }
      expect(await tf.challenges.start(who)).toMatchObject({ outcome: 'started' })
    }
    const told = () => events.filter(({ type }) => type.startsWith('message.'))
    await vi.waitFor(() => expect(told()).toHaveLength(3), 60_000)
    for (const [subject, type] of fates) {
      expect(told()).toContainEqual(expect.objectContaining({ subject, type, channel: 'sms', country: 'CO' }))
    }
    expect(JSON.stringify(told())).not.toContain('messageId')
  })
})
