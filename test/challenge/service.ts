import { it as plain } from 'vitest'
import type { ResendCommand, StartCommand, VerifyCommand } from '../../src/challenge/commands.js'
import { openDomain } from '../../src/challenge/domain.js'
import type {
  CodeCheck,
  CodeProvider,
  CodeSend,
  CompositeProvider,
  ExchangeReport,
  SendResult,
  Verdict,
} from '../../src/challenge/exchange/code-provider.js'
import type { Lane, Limits } from '../../src/challenge/limits.js'
import type { ProvenFacts } from '../../src/challenge/proofs/stored-grant.js'
import type { Purpose } from '../../src/challenge/purposes.js'
import type { SignupGuardRules } from '../../src/challenge/rate-limits/signup-guard.js'
import type { RecoveryCodeStore } from '../../src/challenge/recovery.js'
import type { EventBody } from '../../src/events.js'
import { type Background, createBackground } from '../../src/lib/promises.js'
import { memoryStore } from '../../src/store/memory-store.js'
import type { Store } from '../../src/store/store.js'
import { day, limits as defaults, signupGuard, strictStore } from './kit.js'

export const rightCode = '123456'

/** A code service that counts, answers a turn of the event loop later, and does as it is told. */
function countingCodes() {
  const state = {
    sends: [] as CodeSend[],
    checks: [] as CodeCheck[],
    /** What it tells about each exchange besides. */
    report: undefined as ExchangeReport | undefined,
    send: (): SendResult => ({ result: 'sent', lifetimeMs: 600_000 }),
    check: (code: string): Verdict | Promise<Verdict> => (code === rightCode ? 'approved' : 'rejected'),
  }
  const turn = () => new Promise((resolve) => setImmediate(resolve))
  const codes: CodeProvider = {
    async sendCode(request) {
      state.sends.push(request)
      if (state.report) request.report?.(state.report)
      await turn()
      return state.send()
    },
    async checkCode(request) {
      state.checks.push(request)
      if (state.report) request.report?.(state.report)
      await turn()
      return state.check(request.code)
    },
  }
  return { codes, state }
}

const purpose = (name: string, more: Partial<Purpose> = {}): Purpose => ({
  name,
  maxAgeMs: 300_000,
  once: false,
  channels: ['sms', 'call'],
  trustedDevice: false,
  browserStartable: true,
  ...more,
})

export interface NewGrant extends ProvenFacts {
  readonly subject: string
  readonly session: string
  readonly previousSession?: string
  readonly provisional?: boolean
}

export interface ServiceOptions {
  limits?: Partial<Limits>
  signupGuard?: Partial<SignupGuardRules>
  /** In place of the service that counts. */
  codes?: CodeProvider | CompositeProvider
  /** Of the provider. */
  name?: string
  /** In place of the clock that `wait` moves. */
  now?: () => number
  background?: Background
  store?: (now: () => number) => Store
  /** In place of these commands of its store in memory. */
  commands?: (well: Store) => Partial<Store>
  recoveryCodes?: RecoveryCodeStore
  knownMaxAgeMs?: number
  trustedMaxAgeMs?: number
  countries?: readonly string[] | 'any'
  haveApps?: boolean
}

/** The domain on a real store under a hand-moved clock. */
export function createService(options: ServiceOptions = {}) {
  let clock = 1_800_000_000_000
  const now = options.now ?? (() => clock)
  const inMemory = memoryStore({ now })
  const store = options.store?.(now) ?? { ...inMemory, ...options.commands?.(inMemory) }
  const purposes = [
    purpose('login', { maxAgeMs: 43_200_000 }),
    purpose('transfer'),
    purpose('text-only', { channels: ['sms'] }),
    purpose('call-only', { channels: ['call'] }),
    purpose('signup', { browserStartable: false }),
  ].map((one) =>
    options.haveApps && !one.name.endsWith('-only') ? { ...one, channels: ['app', ...one.channels] } : one,
  )
  const events: EventBody[] = []
  const emit = (event: EventBody) => void events.push(event)
  const background = options.background ?? createBackground()
  const provider = countingCodes()
  const domain = openDomain({
    store: strictStore(store),
    secret: ['a secret of at least thirty-two bytes'],
    provider: options.codes ?? { ...provider.codes, name: options.name },
    signupGuard: { ...signupGuard, ...options.signupGuard },
    background,
    namespace: '',
    limits: { ...defaults, ...options.limits },
    purposes,
    defaultPurpose: purpose,
    appName: {
      ...Object.fromEntries(purposes.map(({ name }) => [name, `auth:${name}`])),
      signup: 'enrol:signup',
    },
    countries: options.countries ?? ['CO', 'MX'],
    knownMaxAgeMs: options.knownMaxAgeMs ?? 90 * day,
    trustedMaxAgeMs: options.trustedMaxAgeMs ?? 0,
    recoveryCodes: options.recoveryCodes,
    now,
    emit,
  })
  const { challenges, grants } = domain
  return {
    ...domain,
    background,
    challenges: {
      ...challenges,
      subjects: domain.subjects,
      start: (command: In<StartCommand>) => challenges.start(inBrowser(command)),
      verify: (command: In<VerifyCommand>) =>
        challenges.verify({ ...shownIn(command.lane), appCode: command.code, ...inBrowser(command) }),
      resend: (command: ResendCommand) => challenges.resend({ ...shownIn(command.lane), ...command }),
    },
    grants: {
      ...grants,
      /** By a record that was opened before, or one of its own; returns the record where it holds the grant. */
      async write(grant: NewGrant, record = grants.open(grant)) {
        const { session, previousSession = session, provisional = false } = grant
        const ids = { before: previousSession, after: session, provisional }
        return (await record.write(grant, ids)) && record
      },
    },
    provider: provider.state,
    events,
    store,
    wait(ms: number) {
      clock += ms
    },
    eventTypes: () => events.map(({ type }) => type),
  }
}

/** A test with a service of its own, as it comes by default. */
export const it = plain
  .extend('service', () => createService())
  .extend('challenges', ({ service }) => service.challenges)
  .extend('grants', ({ service }) => service.grants)
  .extend('phoneVerifications', ({ service }) => service.phoneVerifications)
  .extend('provider', ({ service }) => service.provider)
  .extend('store', ({ service }) => service.store)
  .extend('keys', ({ service }) => service.keys)
  .extend('events', ({ service }) => service.events)
  .extend('eventTypes', ({ service }) => service.eventTypes)
  .extend('now', ({ service }) => service.now)
  .extend('wait', ({ service }) => service.wait)

/** The keys of all counters that are asked of this store from now on. */
export function keysCounted(store: Store): string[] {
  const keys: string[] = []
  const increment = store.increment.bind(store)
  store.increment = (key, ...more) => {
    keys.push(key)
    return increment(key, ...more)
  }
  return keys
}

/** What a request finds in the store. */
export const fact = <Value>(value: Value) => ({ read: async () => value })

/** Of a browser in which somebody has succeeded before, or not. */
type In<Command> = Command & {
  readonly knownBrowser?: boolean
  /** Whether a code to the number was right in it; as `knownBrowser` by default. */
  readonly knownAtNumber?: boolean
}

function inBrowser<Command extends object>(command: In<Command>): Command {
  const { knownBrowser: isKnown, knownAtNumber: isKnownAt = isKnown } = command
  if (isKnown === undefined) return command
  return { ...command, browser: { isKnown: () => isKnown, isKnownAt: () => isKnownAt === true } }
}

export const ana = { subject: 'ana', session: 'session-1', phone: '+573001234567' }

/** Somebody who signs in with a number and in a session of their own. */
export const person = (index: number) => ({
  subject: `person-${index}`,
  session: `session-${index}`,
  phone: `+57300${1_000_000 + index}`,
  purpose: 'login',
})

/** Somebody who signs up with a number of their own. */
export const visitor = (index: number) => ({
  lane: 'enrol' as const,
  subject: `visitor-${index}`,
  session: `session-${index}`,
  phone: `+57300${1_000_000 + index}`,
  purpose: 'signup',
})

/** The routes of a phone verification are for one purpose, and say so. */
const shownIn = (lane: Lane = 'auth') => (lane === 'enrol' ? { displayed: { purpose: 'signup' } } : {})

/** A purpose that a challenge of this lane may be for. */
export const purposeIn = (lane: 'auth' | 'enrol') => (lane === 'auth' ? 'login' : 'signup')
