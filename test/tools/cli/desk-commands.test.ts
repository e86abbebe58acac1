import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createDeployments } from '../../../src/challenge/deployment.js'
import { createKeys, createSecrets } from '../../../src/challenge/keys.js'
import { defaultLimits } from '../../../src/challenge/limits.js'
import { personCommand } from '../../../src/tools/cli/person-command.js'
import { describePerson } from '../../../src/tools/cli/person-report.js'
import { signupsCommand } from '../../../src/tools/cli/signups-command.js'
import { store } from './store-in-memory.js'

const secret = 'a secret of at least thirty-two bytes'
const flags = ['--store', 'test/tools/cli/store-in-memory.ts', '--namespace', 'shop']

/** What a command prints, and how it ends, in this process. */
async function printed(command: (args: readonly string[]) => Promise<number>, ...args: string[]) {
  const written: string[] = []
  const write = (text: string | Uint8Array) => written.push(String(text)) > 0
  const streams = [process.stdout, process.stderr].map((one) =>
    vi.spyOn(one, 'write').mockImplementation(write),
  )
  const exitCode = await command([...args, ...flags]).finally(() => {
    for (const stream of streams) stream.mockRestore()
  })
  return { exitCode, text: written.join('') }
}

beforeEach(async () => {
  // A command ends its process a second after it is done.
  vi.useFakeTimers({ toFake: ['setTimeout'] })
  vi.stubEnv('TWO_FACTOR_SECRET', secret)
  const secrets = createSecrets([secret])
  const left = { limits: defaultLimits, knownMaxAgeMs: 1, trustedMaxAgeMs: 0 }
  await createDeployments({ store, secrets, keys: createKeys('shop', secrets), namespace: 'shop' }).leave(
    left,
  )
})

afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllEnvs()
})

describe('the commands of an operator', () => {
  it('pause sign-ups, say so, and resume them', async () => {
    const paused = await printed(signupsCommand, '--pause', '2h')
    expect(paused).toMatchObject({ exitCode: 0, text: expect.stringContaining('paused for 2 h, until') })
    const state = await printed(signupsCommand, '--state', '--json')
    expect(JSON.parse(state.text)).toMatchObject({ namespace: 'shop', pausedForMs: expect.any(Number) })
    expect((await printed(signupsCommand, '--resume')).text).toContain('Sign-ups are sent codes.')
  })

  it.each([[['--pause', '2 weeks']], [['--pause', '31d']], [['--pause', '1h', '--resume']], [[]]])(
    'take no sign-ups %j',
    async (args) => {
      await expect(printed(signupsCommand, ...args)).rejects.toThrow(/pause/)
    },
  )

  it('lift nothing of an account of which nothing is remembered', async () => {
    const { exitCode, text } = await printed(personCommand, 'anna', '--enable')
    expect(exitCode).toBe(1)
    expect(text).toContain('Nothing is remembered of the account anna.')
  })

  it('end what an account has where nobody has to be asked', async () => {
    expect((await printed(personCommand, 'ana', '--revoke', '--yes')).exitCode).toBe(0)
    await expect(printed(personCommand, 'ana', '--revoke')).rejects.toThrow('--revoke needs --yes')
  })

  it('know nothing of a number that nobody has signed up with, and no number from words', async () => {
    expect((await printed(personCommand, '+573001234567')).text).toContain('Nothing is remembered')
    await expect(printed(personCommand, '+57')).rejects.toThrow('is no number')
  })

  it('say that the secret is another one, and change nothing', async () => {
    vi.stubEnv('TWO_FACTOR_SECRET', secret.replace('a ', 'A '))
    const { exitCode, text } = await printed(personCommand, 'ana', '--enable', '--json')
    expect([exitCode, JSON.parse(text).failure.code]).toEqual([1, 'other_secret'])
  })
})

describe('what is said of an account', () => {
  const none = { lock: 0, challenge: 0, knownBrowser: 0, sends: 0, number: 0, guesses: 0 }
  const free = { disabled: false, send: none, cooldown: 0, check: none }
  const at = Date.UTC(2027, 0, 15, 8, 30)
  const sent = { at, channel: 'sms', state: 'sent', inKnownBrowser: false, isForgiven: false } as const
  const person = {
    isKnown: true,
    lockedForMs: 0,
    judged: 0,
    strangers: free,
    codes: [],
    sessions: 1,
    recoveryTries: { count: 0, most: 10, endsInMs: 0 },
    trustedDevices: [],
  }

  it.each([
    ['open', {}, 'Open         0 wrong codes since the last success'],
    ['waiting for nothing', {}, 'Next         code now, try now'],
    [
      'after a code',
      { strangers: { ...free, cooldown: 42_001 } },
      'code in 43 s (the pause after the last one)',
    ],
    ['locked', { lockedForMs: 5_400_000, judged: 1 }, 'Locked       for 1 h 30 min: 1 wrong code since'],
    ['disabled', { judged: 100, strangers: { ...free, disabled: true } }, 'only --enable lifts it'],
    ['known somewhere', { known: { ...free, disabled: true } }, 'Where known  disabled; only --enable'],
    ['sent a code', { codes: [sent] }, '2027-01-15 08:30 UTC sms: sent, not entered'],
    [
      'forgiven',
      { codes: [{ ...sent, state: 'entered', inKnownBrowser: true, isForgiven: true }] },
      'sms: sent and entered, in a known browser, forgiven',
    ],
    [
      'trusting a browser',
      { trustedDevices: [{ id: 'd', trustedAt: at, usedAt: at, endsAt: at }] },
      'without a label, since 2027-01-15, used 2027-01-15, until 2027-01-15',
    ],
    [
      'out of recovery codes to try',
      { recoveryTries: { count: 10, most: 10, endsInMs: 7_200_000 } },
      '10 of 10 tries used, anew in 2 h',
    ],
  ] as const)('that is %s', (_what, more, says) => {
    expect(describePerson({ ...person, ...more }).join('\n')).toContain(says)
  })
})
