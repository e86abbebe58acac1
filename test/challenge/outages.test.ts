import { describe, expect, it } from 'vitest'
import type { CodeProvider, CompositeProvider } from '../../src/challenge/code-provider.js'
import { failover } from '../../src/provider/failover.js'
import { ownCodes } from '../../src/provider/own-codes.js'
import { ProviderError } from '../../src/provider/provider-error.js'
import { enough } from '../in-full.js'
import { figure } from '../prove/figure.js'
import { seeded } from '../seeded.js'
import { createService, rightCode } from './service.js'

const secret = 'a secret of at least thirty-two bytes'

/** What a service makes of some numbers, while it serves all others. */
const troubles = {
  'refused with 400': { sent: 'failed', verdict: 'unavailable', httpStatus: 400 },
  'answered with 502 by their gateway': { sent: 'unconfirmed', verdict: 'unavailable', httpStatus: 502 },
  'refused with 403, misconfigured to the adapter': {
    sent: 'misconfigured',
    verdict: 'misconfigured',
    httpStatus: 403,
  },
} as const
type Trouble = keyof typeof troubles
/** Whether the service has trouble with this number. */
type Has = (phone: string) => boolean
/** Where people find their codes. */
type Inbox = Map<string, string>
type Services = (trouble: Trouble, has: Has, inbox: Inbox) => CodeProvider | CompositeProvider

function codesOf(trouble: Trouble, has: Has, name = 'plain'): CodeProvider {
  const { sent, verdict, httpStatus } = troubles[trouble]
  return {
    name,
    async sendCode({ destination, report }) {
      if (!has(destination)) return { result: 'sent', lifetimeMs: 600_000 }
      report?.({ httpStatus, reason: 'answer' })
      return { result: sent }
    },
    async checkCode({ destination, code, report }) {
      if (!has(destination)) return code === rightCode ? 'approved' : 'rejected'
      report?.({ httpStatus, reason: 'answer' })
      return verdict
    },
  }
}

const services: Readonly<Record<string, Services>> = {
  'a service': (trouble, has) => codesOf(trouble, has),
  failover: (trouble, has) => failover([codesOf(trouble, has, 'first'), codesOf(trouble, has, 'second')]),
  ownCodes(trouble, has, inbox) {
    const answer = { operation: 'sendSms', delivery: 'answered', reason: 'answer', description: '' } as const
    const { httpStatus } = troubles[trouble]
    const client = {
      async sendSms({ phone, sms }: { phone: string; sms: string }) {
        if (has(phone)) throw new ProviderError({ ...answer, httpStatus })
        inbox.set(phone, /\d{6}/.exec(sms)?.[0] ?? '')
        return { raw: {} }
      },
    }
    return ownCodes({ client, secret })
  },
}

/** Before an attack begins. */
const firstPeople = 30
const isAttackers: Has = (phone) => phone.startsWith('+57301')
const asCode = (error: unknown) => ({ outcome: (error as { code: string }).code })

/** People sign in once each, at random moments, while attackers start and type what they like every eight seconds. */
async function signIns(
  codes: CodeProvider | CompositeProvider,
  options: { people: number; everyMs: number; inbox?: Inbox; attackers?: 'auth' | 'enrol'; has?: Has },
) {
  const { people, everyMs, inbox, attackers, has = isAttackers } = options
  const random = seeded(everyMs)
  const service = createService({ codes })
  const { challenges } = service
  let attacks = 0
  async function attack(): Promise<void> {
    // 25 accounts with a number of their own, or a visitor of a sign-up form with one number after the other.
    const phone = `+57301${1_000_000 + (attackers === 'auth' ? attacks % 25 : attacks)}`
    const who = { lane: attackers, subject: phone, session: phone, phone }
    attacks += 1
    await challenges.start({ ...who, purpose: attackers === 'auth' ? 'login' : 'signup' }).catch(asCode)
    await challenges.verify({ ...who, code: `wrong${attacks}` }).catch(asCode)
  }
  let attackAt = Number.POSITIVE_INFINITY
  let refused = 0
  for (let person = 0; person < firstPeople + people; person += 1) {
    if (person === firstPeople && attackers !== undefined) attackAt = service.now()
    const at = service.now() + Math.ceil(-Math.log((random(9_999) + 1) / 10_000) * everyMs)
    for (; attackAt < at; attackAt += 8_000) {
      service.wait(attackAt - service.now())
      await attack()
    }
    service.wait(at - service.now())
    const phone = `+57300${1_000_000 + person}`
    const who = { subject: phone, session: phone, phone }
    const started = await challenges.start({ ...who, purpose: 'login' }).catch(asCode)
    const code = inbox?.get(phone) ?? rightCode
    const verified = await challenges.verify({ ...who, code }).catch(asCode)
    const isIn = started.outcome === 'started' && verified.outcome === 'approved'
    if (!isIn && !has(phone)) refused += 1
  }
  return { refused, attacks }
}

const people = enough(120, { inFull: 360 })
const times = { 'at night': 20_000, 'in busy hours': 1_000 }

describe('trouble with some numbers keeps nobody else from signing in', () => {
  const cases = Object.keys(services).flatMap((name) =>
    Object.keys(troubles).flatMap((trouble) => Object.keys(times).map((time) => ({ name, trouble, time }))),
  ) as { name: string; trouble: Trouble; time: keyof typeof times }[]
  it.each(cases)('25 accounts $trouble, $name, $time', async ({ name, trouble, time }) => {
    const inbox: Inbox = new Map()
    const codes = services[name]?.(trouble, isAttackers, inbox) ?? codesOf(trouble, isAttackers)
    const crowd = { people, everyMs: times[time], inbox, attackers: 'auth' } as const
    const { refused, attacks } = await signIns(codes, crowd)
    figure(
      22,
      `${refused} of ${people} refused ${time}, ${attacks} starts of 25 accounts ${trouble}, ${name}`,
    )
    expect(refused).toBe(0)
  })

  it('a visitor whose numbers are misconfigured to the adapter', async () => {
    const codes = codesOf('refused with 403, misconfigured to the adapter', isAttackers)
    const { refused, attacks } = await signIns(codes, { people: 120, everyMs: 20_000, attackers: 'enrol' })
    figure(22, `${refused} of 120 sign-ins refused beside ${attacks} sign-ups that are refused with 403`)
    expect(refused).toBe(0)
  })

  it.each(Object.entries(times))('a gateway of every third person, %s', async (time, everyMs) => {
    const has: Has = (phone) => Number(phone.slice(-7)) % 3 === 0
    const codes = codesOf('answered with 502 by their gateway', has)
    const { refused } = await signIns(codes, { people: 540, everyMs, has })
    figure(22, `${refused} of 360 refused ${time} beside 180 whose gateway answers 502`)
    expect(refused).toBe(0)
  })
})
