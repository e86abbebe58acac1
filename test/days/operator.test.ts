import { expect, it, onTestFinished } from 'vitest'
import { openDomain } from '../../src/challenge/domain.js'
import { createHealth } from '../../src/challenge/health.js'
import type { EventBody } from '../../src/events.js'
import { createClient, type ProviderCodesOptions, providerCodes } from '../../src/provider/index.js'
import { memoryStore } from '../../src/store/memory-store.js'
import type { Store } from '../../src/store/store.js'
import { type Fault, startSandbox } from '../../src/tools/sandbox/index.js'
import { numberOf } from '../challenge/budgets/traffic.js'
import { handMoved } from '../challenge/hand-moved.js'
import { day, hour, limits, minute, signupGuard } from '../challenge/kit.js'

/** A time of day, in minutes. */
function at(time: string): number {
  const [hours = 0, minutes = 0] = time.split(':').map(Number)
  return hours * 60 + minutes
}

/** What goes wrong with the provider for so many minutes. */
const troubles: readonly (readonly [from: string, minutes: number, fault: Fault])[] = [
  ['01:00', 6, { kind: 'status' }],
  ['02:00', 6, { kind: 'hang' }],
  ['03:00', 6, { kind: 'html' }],
  ['04:00', 6, { kind: 'reset' }],
  ['05:00', 6, { kind: 'acceptThenHang' }],
  ['06:00', 6, { kind: 'acceptThenStatus' }],
  ['07:00', 6, { kind: 'acceptThenHtml' }],
  ['08:00', 6, { kind: 'oversize' }],
  ['09:00', 6, { kind: 'redirect' }],
  ['10:00', 6, { kind: 'gzip' }],
  ['11:00', 6, { kind: 'slow', delayMs: 10 }],
  ['12:00', 6, { kind: 'status', status: 401, body: { error: 'wrong key' } }],
  ['13:00', 6, { kind: 'body', operation: 'verifyCode', body: { status: 'confirmed' } }],
  // Every code is refused, which is no outage: the events of the challenges say so.
  ['14:00', 50, { kind: 'body', operation: 'sendSmsCode', body: { status: 0, error: '1007' } }],
  // At night, when hardly anybody signs in.
  ['23:00', 20, { kind: 'status' }],
]

/** What a provider that is down looks like in the hour in which it is, from 1 o'clock on. */
const causes = [
  ...['answer 503', 'timeout', 'answer 520', 'reset', 'timeout', 'answer 504', 'answer 520', 'oversize 200'],
  ...['answer 307', 'answer 200'],
]

const told: readonly string[] = [
  ...causes.flatMap((cause, index) => {
    const hours = String(index + 1).padStart(2, '0')
    return ['send', 'check'].map((command) => `${hours}:00 provider.unavailable ${command} ${cause}`)
  }),
  // A provider that is slow for six minutes is nobody's alarm.
  '12:00 provider.misconfigured answer 401',
  '13:00 provider.unexpected answer 200 confirmed',
  '15:00 store.failed read',
  '15:00 store.failed increment',
  '17:05 spend.suspected GB hour',
  // Each process with its next sign-up.
  '19:00 spend.cleared GB hour',
  '21:00 spend.cleared GB hour',
  // A launch.
  '21:38 limit.closed serviceEnrolSendsPerHour',
  '22:28 limit.closed serviceEnrolSendsPerHour',
  '23:00 provider.unavailable send answer 503',
  '23:00 provider.unavailable check answer 503',
]

const purposeOf = (name: string) => ({
  name,
  maxAgeMs: hour,
  once: false,
  channels: ['sms' as const],
  trustedDevice: false,
  browserStartable: name === 'login',
})

/** Two processes of one app, on one store and one account, under one clock. */
async function open() {
  const time = handMoved()
  await time.elapse(day - (time.now() % day))
  const midnight = time.now()
  const codes = new Map<string, string>()
  const sandbox = await startSandbox({
    now: time.now,
    credits: 100_000,
    onMessage: ({ phone, code = '' }) => void codes.set(phone, code),
  })
  const timeoutMs = 2_000
  const client = createClient({ baseUrl: sandbox.baseUrl, ...sandbox.credentials, timeoutMs })
  onTestFinished(async () => {
    await client.close()
    await sandbox.close()
  })
  const provider = { isSilent: false }
  // What never comes is not waited for as long as what may be late on a busy machine.
  const patience = () => ({ timeoutMs: provider.isSilent ? 100 : timeoutMs })
  const codeClient = {
    timeoutMs,
    sendSmsCode: (send) => client.sendSmsCode(send, patience()),
    sendCallCode: (send) => client.sendCallCode(send, patience()),
    verifyCode: (check) => client.verifyCode(check, patience()),
    balance: () => client.balance(patience()),
    close: client.close,
  } satisfies ProviderCodesOptions['client']
  const kept = memoryStore({ now: time.now })
  const store = { isDown: false }
  const unlessDown =
    <Args extends unknown[], Result>(command: (...args: Args) => Result) =>
    (...args: Args): Result => {
      if (store.isDown) throw new Error('down')
      return command(...args)
    }
  const heard: (readonly [minutes: number, event: EventBody])[] = []
  const processes = [1, 2].map(() => {
    const health = createHealth(time.now)
    const domain = openDomain({
      store: {
        read: unlessDown(kept.read),
        swap: unlessDown(kept.swap),
        increment: unlessDown(kept.increment),
      } satisfies Store,
      provider: providerCodes({ client: codeClient, approvedStatuses: sandbox.approvedStatuses }),
      background: time.background,
      secret: ['a secret of at least thirty-two bytes'],
      namespace: '',
      purposes: ['login', 'signup'].map(purposeOf),
      defaultPurpose: purposeOf,
      limits: { ...limits, serviceEnrolSendsPerHour: 200 },
      signupGuard: { ...signupGuard, mode: 'enforce' },
      appName: { login: 'auth', signup: 'enrol' },
      countries: 'any',
      knownMaxAgeMs: 0,
      trustedMaxAgeMs: 0,
      now: time.now,
      emit: health.over((event) => void heard.push([(time.now() - midnight) / minute, event])),
    })
    return { ...domain, health: () => health.read(domain) }
  })
  let people = 0
  /** Somebody asks for a code. Returns what they do 20 seconds later: enter it, unless it is a pump. */
  async function visit(
    lane: 'auth' | 'enrol',
    country: string,
    isPump = false,
  ): Promise<() => Promise<unknown>> {
    const index = people++
    const { challenges } = processes[index % 2] as (typeof processes)[0]
    const phone = numberOf(country, index)
    const purpose = lane === 'enrol' ? 'signup' : 'login'
    const name = `person-${index}`
    const person = { lane, anonymous: lane === 'enrol', subject: name, session: name, phone, purpose }
    const { outcome } = await challenges.start(person).catch(() => ({ outcome: 'failed' }))
    return async () => {
      if (isPump || outcome !== 'started') return
      const code = codes.get(phone) ?? '000000'
      await challenges.verify({ ...person, code, shown: { purpose } }).catch(() => undefined)
    }
  }

  return {
    time,
    sandbox,
    provider,
    store,
    heard,
    visit,
    health: () => processes.map(({ health }) => health()),
  }
}

/** As an operator reads them: the same once an hour, with the minute in which it was told first. */
function read(heard: Awaited<ReturnType<typeof open>>['heard']): readonly string[] {
  const told = new Map<string, string>()
  for (const [minutes, event] of heard) {
    // About one person each.
    if (/^(challenge|request)\./.test(event.type)) continue
    const { country, limit, window, command, reason, httpStatus, status } = event as Record<string, unknown>
    const details = [country, limit, window, command, reason, httpStatus, status]
    const text = [event.type, ...details.filter((detail) => detail !== undefined)].join(' ')
    const clock = [minutes / 60, minutes % 60]
      .map((part) => String(Math.floor(part)).padStart(2, '0'))
      .join(':')
    const key = `${clock.slice(0, 2)} ${text}`
    if (!told.has(key)) told.set(key, `${clock} ${text}`)
  }
  return [...told.values()]
}

it('tells an operator what went wrong on a day with every fault, and when it was over', async () => {
  const { time, sandbox, provider, store, heard, visit, health } = await open()
  for (let now = 0; now < 24 * 60; now += 1) {
    const between = (from: string, to: string) => now >= at(from) && now < at(to)
    for (const [from, minutes, fault] of troubles) {
      if (now === at(from)) sandbox.faults.add({ ...fault, times: Number.POSITIVE_INFINITY })
      if (now === at(from) + minutes) sandbox.faults.clear()
    }
    provider.isSilent = troubles.some(
      ([from, minutes, { kind }]) => /hang$/i.test(kind) && now >= at(from) && now < at(from) + minutes,
    )
    store.isDown = between('15:00', '15:05')

    const country = now % 2 === 0 ? 'MX' : 'CO'
    const isBusy = now % 60 < 6 && between('01:00', '14:00')
    const visits = Array.from({ length: isBusy ? 8 : 1 }, () => visit('auth', country))
    if (now % 5 === 0) visits.push(visit('enrol', 'CO'))
    const more = between('17:00', '18:00') || between('21:00', '22:30') ? 5 : 0
    for (let index = 0; index < more; index += 1) {
      visits.push(between('17:00', '18:00') ? visit('enrol', 'GB', true) : visit('enrol', 'CO'))
    }
    const entering = await Promise.all(visits)
    await time.elapse(20_000)
    await Promise.all(entering.map((enter) => enter()))
    await time.elapse(40_000)
    if (now === at('21:45')) {
      expect(health().flatMap((each) => each.limits)).toContainEqual(
        expect.objectContaining({ limit: 'serviceEnrolSendsPerHour' }),
      )
    }
  }
  expect(read(heard)).toEqual(told)
})
