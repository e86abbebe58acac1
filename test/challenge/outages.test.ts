import { describe, expect, it } from 'vitest'
import type { CodeProvider, CompositeProvider } from '../../src/challenge/exchange/code-provider.js'
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
/** The service has trouble with these numbers alone. */
const isAttackers = (phone: string) => phone.startsWith('+57301')
/** Where people find their codes. */
type Inbox = Map<string, string>
type ServiceOf = (trouble: Trouble, inbox: Inbox) => CodeProvider | CompositeProvider

function codesOf(trouble: Trouble, name = 'plain'): CodeProvider {
  const { sent, verdict, httpStatus } = troubles[trouble]
  return {
    name,
    async sendCode({ destination, report }) {
      if (!isAttackers(destination)) return { result: 'sent', lifetimeMs: 600_000 }
      report?.({ httpStatus, reason: 'answer' })
      return { result: sent }
    },
    async checkCode({ destination, code, report }) {
      if (!isAttackers(destination)) return code === rightCode ? 'approved' : 'rejected'
      report?.({ httpStatus, reason: 'answer' })
      return verdict
    },
  }
}

const services: Readonly<Record<string, ServiceOf>> = {
  'a service': (trouble) => codesOf(trouble),
  failover: (trouble) => failover([codesOf(trouble, 'first'), codesOf(trouble, 'second')]),
  ownCodes(trouble, inbox) {
    const answer = { operation: 'sendSms', delivery: 'answered', reason: 'answer', description: '' } as const
    const { httpStatus } = troubles[trouble]
    const client = {
      async sendSms({ phone, sms }: { phone: string; sms: string }) {
        if (isAttackers(phone)) throw new ProviderError({ ...answer, httpStatus })
        inbox.set(phone, /\d{6}/.exec(sms)?.[0] ?? '')
        return { raw: {} }
      },
    }
    return ownCodes({ client, secret })
  },
}

const people = enough(120, { inFull: 360 })
const asCode = (error: unknown) => ({ outcome: (error as { code: string }).code })

/**
 * People sign in once each, at random moments of a night in which attackers start and type what they like every eight
 * seconds: what a service says to them comes in a row.
 */
async function signIns(codes: CodeProvider | CompositeProvider, attackers: 'auth' | 'enrol', inbox?: Inbox) {
  const random = seeded(people)
  const { challenges, now, wait } = createService({ codes })
  let attacks = 0
  async function attack(): Promise<void> {
    // 25 accounts with a number of their own, or a visitor of a sign-up form with one number after the other.
    const phone = `+57301${1_000_000 + (attackers === 'auth' ? attacks % 25 : attacks)}`
    const who = { lane: attackers, subject: phone, session: phone, phone }
    attacks += 1
    await challenges.start({ ...who, purpose: attackers === 'auth' ? 'login' : 'signup' }).catch(asCode)
    await challenges.verify({ ...who, code: `wrong${attacks}` }).catch(asCode)
  }
  let attackAt = now()
  let refused = 0
  for (let person = 0; person < people; person += 1) {
    const at = now() + Math.ceil(-Math.log((random(9_999) + 1) / 10_000) * 20_000)
    for (; attackAt < at; attackAt += 8_000) {
      wait(attackAt - now())
      await attack()
    }
    wait(at - now())
    const phone = `+57300${1_000_000 + person}`
    const who = { subject: phone, session: phone, phone }
    const started = await challenges.start({ ...who, purpose: 'login' }).catch(asCode)
    const code = inbox?.get(phone) ?? rightCode
    const verified = await challenges.verify({ ...who, code }).catch(asCode)
    if (started.outcome !== 'started' || verified.outcome !== 'approved') refused += 1
  }
  return { refused, attacks }
}

describe('trouble with some numbers keeps nobody else from signing in', () => {
  const cases = Object.entries(services).flatMap(([name, serviceOf]) =>
    (Object.keys(troubles) as Trouble[]).map((trouble) => ({ name, trouble, serviceOf })),
  )
  it.each(cases)('25 accounts $trouble, $name', async ({ name, trouble, serviceOf }) => {
    const inbox: Inbox = new Map()
    const codes = serviceOf(trouble, inbox)
    const { refused, attacks } = await signIns(codes, 'auth', inbox)
    figure(22, `${refused} of ${people} refused, ${attacks} starts of 25 accounts ${trouble}, ${name}`)
    expect(refused).toBe(0)
  })

  it('a visitor whose numbers are misconfigured to the adapter', async () => {
    const codes = codesOf('refused with 403, misconfigured to the adapter')
    const { refused, attacks } = await signIns(codes, 'enrol')
    figure(22, `${refused} of ${people} refused beside ${attacks} sign-ups that are refused with 403`)
    expect(refused).toBe(0)
  })
})
