import type { TwoFactorEvent } from '../../src/index.js'
import { startHost } from '../express/kit.js'
import type { StubAnswer } from '../provider-stub.js'

/** What the provider itself counted, and what people were told. */
export interface Figures {
  readonly sends: number
  readonly calls: number
  readonly refusedSends: number
  readonly lostSends: number
  readonly checks: number
  readonly approved: number
  readonly rejected: number
  readonly lostChecks: number
  readonly refusals: number
}

export const expectedFigures: Figures = {
  sends: 24,
  calls: 8,
  refusedSends: 3,
  lostSends: 3,
  checks: 42,
  approved: 18,
  rejected: 21,
  lostChecks: 3,
  refusals: 24,
}

/** Twenty-four people sign in, one after the other: each kind of trouble meets some of them. */
export async function runScenario(onEvent: (event: TwoFactorEvent) => void): Promise<Figures> {
  const phone = (_req: unknown, subject: string) => `+5730012345${subject.slice(-2)}`
  const host = await startHost({ options: { onEvent, phone } })
  const { stub } = host
  const told = { approved: 0, rejected: 0, refusals: 0 }
  const answers = { refusedSends: 0, lostSends: 0, lostChecks: 0 }
  const { answerSend, answerCheck } = stub

  const refusing = (): StubAnswer => {
    answers.refusedSends += 1
    return { status: 400, json: { error: 1007, msg: 'refused' } }
  }
  const losing = (kind: 'lostSends' | 'lostChecks') => (): StubAnswer => {
    answers[kind] += 1
    return 'reset'
  }

  for (let person = 0; person < 24; person += 1) {
    const browser = await host.login(`user-${String(person).padStart(2, '0')}`)
    const verify = async (code: string) => {
      const { status } = await browser.verify(code)
      if (status === 200) told.approved += 1
      if (status === 422) told.rejected += 1
    }
    stub.answerSend = person % 8 === 0 ? refusing : person % 8 === 1 ? losing('lostSends') : answerSend
    await browser.start({ channel: person % 3 === 0 ? 'call' : 'sms' })
    // Too soon after a send, and nothing to repeat after a refused one.
    const resent = await browser.post('/two-factor/resend', {})
    if (resent.status === 429 || resent.status === 410) told.refusals += 1
    if (person % 8 === 0) continue
    await verify('111111')
    if (person % 8 === 2) {
      stub.answerCheck = losing('lostChecks')
      await verify('222222')
    }
    stub.answerCheck = answerCheck
    // The first code of a send whose answer was lost never became known.
    if (person % 8 !== 1) await verify(stub.rightCode)
    host.clock.now += 1_000
  }
  const calls = stub.sends.filter(({ path }) => path.includes('/call/')).length
  return { sends: stub.sends.length, calls, checks: stub.checks.length, ...told, ...answers }
}
