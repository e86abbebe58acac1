import { describe, expect, it } from 'vitest'
import { memoryStore } from '../../src/store/memory-store.js'
import { figure } from '../prove/figure.js'
import { minute } from './kit.js'
import { ana, createService, purposeIn, rightCode } from './service.js'

const starts = 500
const capacity = 5

type Service = ReturnType<typeof createService>
type Lane = 'auth' | 'enrol'

const refusals: Readonly<Record<string, (service: Service) => () => boolean>> = {
  'the host refuses': () => () => false,
  'the provider refuses': ({ provider }) => {
    provider.send = () => ({ result: 'failed' })
    return () => true
  },
}

describe('starts that are refused', () => {
  const cases = Object.keys(refusals).flatMap((why) =>
    (['auth', 'enrol'] as const).map((lane) => [why, lane] as const),
  )

  it.each(cases)('because %s fill no store (lane %s)', async (why, lane: Lane) => {
    const service = createService({
      store: (now) => memoryStore({ now, maxLedgers: capacity, maxGrants: capacity }),
      limits: {
        serviceSendsPerMinute: starts,
        serviceEnrolSendsPerHour: starts,
        serviceEnrolSendsPerDay: starts,
      },
    })
    const beforeSend = refusals[why]?.(service)
    const { send } = createService().provider
    const answers: Record<string, number> = {}
    for (let turn = 0; turn < starts; turn += 1) {
      const who = {
        lane,
        subject: `person-${turn}`,
        session: `session-${turn}`,
        phone: `+57300${2_000_000 + turn}`,
      }
      const told = await service.challenges.start({ ...who, purpose: purposeIn(lane), beforeSend }).then(
        (outcome) => ('code' in outcome ? outcome.code : outcome.outcome),
        (error: { code: string }) => error.code,
      )
      answers[told] = (answers[told] ?? 0) + 1
      // Four at a time are in their cooldown, which has to be remembered.
      service.wait(minute / 4)
    }
    const code = why === 'the host refuses' ? 'send_refused' : 'delivery_failed'
    expect(answers).toEqual({ [code]: starts })
    const sent = service.provider.sends.length
    service.provider.send = send
    const after = { ...ana, lane }
    expect(await service.challenges.start({ ...after, purpose: purposeIn(lane) })).toMatchObject({
      outcome: 'started',
    })
    expect(await service.challenges.verify({ ...after, code: rightCode })).toMatchObject({
      outcome: 'approved',
    })
    if (code === 'send_refused') {
      figure(14, `${starts} starts: ${sent} codes sent, no room of ${capacity} taken (${lane})`)
    }
  })
})
