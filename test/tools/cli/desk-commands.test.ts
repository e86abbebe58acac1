import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { createKeys, createSecrets } from '../../../src/challenge/keys.js'
import { defaultLimits, defaultTimeouts } from '../../../src/challenge/limits.js'
import { createDeployments, shortHashOf } from '../../../src/challenge/operator/deployment.js'
import type { Inspection, PersonReport } from '../../../src/challenge/operator/inspection.js'
import { type ProblemCode, TwoFactorError } from '../../../src/errors.js'
import { personCommand } from '../../../src/tools/cli/person-command.js'
import { describePerson } from '../../../src/tools/cli/person-report.js'
import { signupsCommand } from '../../../src/tools/cli/signups-command.js'
import { store } from './store-in-memory.js'

/** What is otherwise at the desk of the command. */
let atDesk: Partial<Inspection> = {}

vi.mock(import('../../../src/challenge/operator/inspection.js'), async (original) => {
  const module = await original()
  const { openInspection: openDesk } = module
  const opened: typeof openDesk = async (...where) => {
    const inspection = await openDesk(...where)
    return typeof inspection === 'string' ? inspection : { ...inspection, ...atDesk }
  }
  return { ...module, openInspection: opened }
})

// In place of Redis, too.
vi.mock(import('../../../src/tools/cli/app-store.js'), async (original) => ({
  ...(await original()),
  openRedisStore: async () => ({ store, close: async () => undefined }),
}))

const secret = 'a secret of at least thirty-two bytes'
const flags = ['--store', 'test/tools/cli/store-in-memory.ts']
const namespace = ['--namespace', 'shop']

/** What a command prints, and how it ends, in this process. */
async function printed(command: (args: readonly string[]) => Promise<number>, ...args: string[]) {
  const written: string[] = []
  const write = (text: string | Uint8Array) => written.push(String(text)) > 0
  const streams = [process.stdout, process.stderr].map((one) =>
    vi.spyOn(one, 'write').mockImplementation(write),
  )
  const exitCode = await command([
    ...args,
    ...(process.env.REDIS_URL ? [] : flags),
    ...(args.includes('--namespace') ? [] : namespace),
  ]).finally(() => {
    for (const stream of streams) stream.mockRestore()
  })
  return { exitCode, text: written.join('') }
}

const none = { lock: 0, challenge: 0, knownBrowser: 0, sends: 0, unjudged: 0, number: 0, guesses: 0 }
const free = { disabled: false, send: none, cooldown: 0, check: none }

/** The report on an account of which nothing is stored. */
const unknown: PersonReport = {
  isKnown: false,
  lockedForMs: 0,
  judged: 0,
  strangers: free,
  codes: [],
  passkeys: [],
  sessions: 0,
  recoveryTries: { count: 0, most: 10, endsInMs: 0 },
  trustedDevices: [],
}

beforeEach(async () => {
  // A command ends its process a second after it is done.
  vi.useFakeTimers({ toFake: ['setTimeout'] })
  vi.stubEnv('TWO_FACTOR_SECRET', secret)
  const secrets = createSecrets([secret])
  const left = { limits: { ...defaultLimits, ...defaultTimeouts }, knownMaxAgeMs: 1, trustedMaxAgeMs: 0 }
  const parts = { store, secrets, keys: createKeys('shop', secrets), namespace: 'shop', now: Date.now }
  await createDeployments(parts, 'web-1').save(left)
})

afterEach(() => {
  atDesk = {}
  vi.useRealTimers()
  vi.unstubAllEnvs()
})

describe('the commands of an operator', () => {
  it('pause sign-ups, report it, and resume them', async () => {
    const paused = await printed(signupsCommand, '--pause', '2h')
    expect(paused).toMatchObject({ exitCode: 0, text: expect.stringContaining('paused for 2 h, until') })
    const state = await printed(signupsCommand, '--state', '--json')
    expect(JSON.parse(state.text)).toMatchObject({ namespace: 'shop', pausedForMs: expect.any(Number) })
    expect((await printed(signupsCommand, '--resume')).text).toMatch(
      /^Sign-ups are not paused\.\n {2}This hour 0 sent, 0 verified\n {2}This day {2}0 sent, 0 verified\n$/,
    )
  })

  it.each([
    [signupsCommand, [], 'Pass one of --pause'],
    [signupsCommand, ['--pause', '1h', '--resume'], 'Pass one of --pause'],
    [signupsCommand, ['--pause', '2 weeks'], 'such as 30m, 2h or 1d'],
    [signupsCommand, ['--pause', '0h'], 'such as 30m, 2h or 1d'],
    [signupsCommand, ['--pause', '31d'], 'at most 30 days'],
    [personCommand, [], 'The account is missing'],
    [personCommand, ['ana', '--revoke'], '--revoke needs --yes'],
    [personCommand, ['ana', '--secret', 'sesame'], '--secret is refused'],
    [personCommand, ['+573001234567', '--unlock'], 'need an account, not a number'],
    [personCommand, ['+57'], 'is not a number'],
  ])('%o does not take %j: %s', async (command, args, says) => {
    await expect(printed(command, ...args)).rejects.toThrow(says)
    await expect(printed(command, ...args)).rejects.not.toThrow('sesame')
  })

  it('need the secret of the app, and its store', async () => {
    vi.stubEnv('REDIS_URL', '')
    await expect(personCommand(['ana'])).rejects.toThrow('set REDIS_URL, or pass --store')
    vi.stubEnv('TWO_FACTOR_SECRET', '')
    await expect(personCommand(['ana'])).rejects.toThrow('set TWO_FACTOR_SECRET')
  })

  it('lift nothing of an account of which nothing is remembered', async () => {
    const { exitCode, text } = await printed(personCommand, 'anna', '--unlock')
    expect(exitCode).toBe(1)
    expect(text).toMatch(/^There was nothing to unlock\.\nNo record of the account anna\./)
  })

  it.each([
    [[], 0, ''],
    [[], 1, '; the counters over all accounts of 1 number that received a code of this account'],
    [[], 2, '; the counters over all accounts of 2 numbers that each received a code of this account'],
    [['--number', '+57 300 123 4567'], 1, '; the counters over all accounts of +57 300 123 4567'],
    [
      ['--number', '+57 300 123 4567'],
      2,
      '; the counters over all accounts of +57 300 123 4567 and of 1 number that received a code of this account',
    ],
  ] as const)('state what --unlock %j reset, with %i numbers', async (more, numbers, says) => {
    atDesk = { person: async () => ({ ...unknown, isKnown: true }), unlock: async () => ({ numbers }) }
    const account =
      'Unlocked. Reset: lock or disabling, attempts and sends of the account; its recovery attempts'
    const program = await printed(personCommand, 'ana', '--unlock', ...more)
    expect(program.text.split('\n')[0]).toBe(`${account}${says}.`)
    const { text } = await printed(personCommand, 'ana', '--unlock', '--json', ...more)
    expect(JSON.parse(text)).toMatchObject({ unlocked: true, numbersReset: numbers })
  })

  it('end all data of an account in a script without a prompt', async () => {
    for (const more of [[], ['--unlock']]) {
      expect((await printed(personCommand, 'ana', '--revoke', '--yes', ...more)).exitCode).toBe(0)
    }
  })

  it('know nothing of a number without a sign-up', async () => {
    expect((await printed(personCommand, '+57 300 123 4567')).text).toContain(
      'No record of a sign-up with +57 300 123 4567',
    )
  })

  it.each([
    ['other_secret', [], secret.replace('a ', 'A ')],
    ['unknown_namespace', ['--namespace', 'shops'], secret],
  ])('say that they were given %s, and change nothing', async (code, more, given) => {
    vi.stubEnv('TWO_FACTOR_SECRET', given)
    for (const [command, ...args] of [
      [personCommand, 'ana', '--unlock', '--json'],
      [signupsCommand, '--pause', '2h', '--json'],
    ] as const) {
      const { exitCode, text } = await printed(command, ...args, ...more)
      expect([exitCode, JSON.parse(text).failure.code]).toEqual([1, code])
    }
    vi.stubEnv('TWO_FACTOR_SECRET', secret)
    expect((await printed(signupsCommand, '--state')).text).toContain('Sign-ups are not paused.')
  })

  it('list the machines by their secret, and accuse none', async () => {
    const other = secret.replace('a ', 'A ')
    vi.stubEnv('TWO_FACTOR_SECRET', other)
    const [running, own] = [secret, other].map((one) => shortHashOf(one, 'shop'))
    const { text } = await printed(personCommand, 'ana')
    expect(text).toContain(
      `started last under the namespace "shop" uses another secret than this command, ${own}.`,
    )
    expect(text).toContain(`Secrets by their short hash: ${running} (web-1).`)
    expect(text).toContain('Fix: compare the secrets.')
    // As an earlier version writes the record.
    const entry = await store.read('tf3:shop:deployment:last')
    await store.swap('tf3:shop:deployment:last', entry?.version, { secret: 'tag' }, 60_000)
    expect((await printed(personCommand, 'ana')).text).toContain(
      'Fix: compare a hash of the secret on all machines.',
    )
  })
})

describe('a command that fails', () => {
  const pause: Parameters<typeof printed> = [signupsCommand, '--pause', '2h']
  const both: typeof pause = [personCommand, 'bob', '--unlock', '--revoke', '--yes']
  const failing = (code: ProblemCode) => async () => {
    throw new TwoFactorError(code, { cause: new Error('Socket closed') })
  }
  const silent = failing('store_unavailable')
  const done = async () => undefined
  const known = async () => ({ isKnown: true }) as PersonReport
  const signups = { pause: done, resume: done, state: silent }
  const person = { person: known, unlock: async () => ({ numbers: 0 }), revokeEverything: silent }
  const fault = async () => JSON.parse('')

  it.each<[when: string, typeof pause, Partial<Inspection>, code: string, changes: object]>([
    ['once it was done', pause, { signups }, 'redis_closes', { paused: 'done' }],
    [
      'as it was done',
      pause,
      { signups: { ...signups, pause: silent } },
      'redis_closes',
      { paused: 'unclear' },
    ],
    ['between the two', both, person, 'redis_closes', { unlocked: 'done', revoked: 'unclear' }],
    [
      'for others who change the same',
      both,
      { ...person, unlock: failing('verification_in_progress') },
      'store_contended',
      { unlocked: 'unclear' },
    ],
    [
      'for a fault of ours',
      pause,
      { signups: { ...signups, state: fault } },
      'program_fault',
      { paused: 'done' },
    ],
  ])('%s says what was done', async (_when, command, otherwise, code, changes) => {
    vi.stubEnv('REDIS_URL', 'redis://localhost')
    atDesk = otherwise
    const { exitCode, text } = await printed(...command, '--json')
    const { failure, ...told } = JSON.parse(text)
    expect([exitCode, failure.code, told.changes]).toEqual([3, code, changes])
  })

  it('reports it in words, after the reason', async () => {
    atDesk = person
    const { text } = await printed(...both)
    expect(text).toMatch(
      /^ {2}WRONG .* cannot be used: Socket closed\n.*Fix: .*\nDone before the failure: unlocked\.\nPerhaps done: revoked\.\n$/,
    )
  })

  it.each(['', 'redis://localhost'])('with nothing done ends with 1, REDIS_URL=%s', async (url) => {
    vi.stubEnv('REDIS_URL', url)
    atDesk = { person: silent }
    expect((await printed(...both)).exitCode).toBe(1)
    atDesk = { person: fault }
    await expect(printed(...both)).rejects.toThrow(SyntaxError)
  })

  it('at the end of its connection has completed its work', async () => {
    onTestFinished(() => void Reflect.deleteProperty(store, 'close'))
    Object.assign(store, { close: silent })
    expect((await printed(...pause)).exitCode).toBe(0)
  })
})

describe('what is said of an account', () => {
  const at = Date.UTC(2027, 0, 15, 8, 30)
  const sent = { at, channel: 'sms', state: 'sent', inKnownBrowser: false, isForgiven: false } as const
  it.each([
    ['open', {}, 'Open         0 wrong codes since the last success'],
    ['waiting for nothing', {}, 'Next         code now, attempt now'],
    [
      'after a code',
      { strangers: { ...free, cooldown: 42_001 } },
      'code in 43 s (pause after the last code)',
    ],
    [
      'after codes without a verdict',
      { strangers: { ...free, cooldown: 600_000, send: { ...none, unjudged: 600_000 } } },
      'code in 10 min (pause after codes without a verdict of the provider), attempt now',
    ],
    ['locked', { lockedForMs: 5_400_000, judged: 1 }, 'Locked       for 1 h 30 min: 1 wrong code since'],
    ['disabled', { judged: 100, strangers: { ...free, disabled: true } }, 'only --unlock lifts it'],
    ['known somewhere', { known: { ...free, disabled: true } }, 'Known        disabled; only --unlock'],
    ['sent a code', { codes: [sent] }, '2027-01-15 08:30 UTC sms: sent, not entered'],
    [
      'forgiven',
      { codes: [{ ...sent, state: 'entered', inKnownBrowser: true, isForgiven: true }] },
      'sms: sent and entered, in a known browser, forgiven',
    ],
    [
      'signed in with a passkey',
      { passkeys: [at, at] },
      'Passkeys     2 accepted in the last day, the last 2027-01-15 08:30 UTC',
    ],
    [
      'trusting a browser',
      { trustedDevices: [{ id: 'd', trustedAt: at, usedAt: at, endsAt: at }] },
      'without a label, since 2027-01-15, used 2027-01-15, until 2027-01-15',
    ],
    [
      'out of recovery codes to try',
      { recoveryTries: { count: 10, most: 10, endsInMs: 7_200_000 } },
      '10 of 10 attempts used, reset in 2 h',
    ],
  ] as const)('that is %s', (_what, more, says) => {
    expect(describePerson({ ...unknown, ...more }).join('\n')).toContain(says)
  })
})
