import type { FaultEffect } from '../../sandbox/index.js'
import { type Attempted, NotTried, type Stage, told } from './stage.js'

/** At most four that give no answer at all: the circuit breaker opens at the fifth, and nobody could sign in. */
const kinds = (status: string): Readonly<Record<string, FaultEffect>> => ({
  down: { kind: 'reset' },
  'behind a firewall': { kind: 'html' },
  silent: { kind: 'hang' },
  'right and wrong at once': { kind: 'body', body: { status, error: '1111', msg: 'The code is wrong.' } },
  'saying yes in words of its own': { kind: 'body', body: { success: true, verified: true, valid: true } },
  'a bare word': { kind: 'body', body: status },
})

/** Wrong codes while the provider is down, slow or lying: each for somebody of their own, beside all other attacks. */
export async function faults(stage: Stage): Promise<Attempted> {
  const { faults: box, approvedStatuses } = stage.sandbox
  const all = Object.entries(kinds(approvedStatuses[0] ?? ''))
  const tried = `a wrong code while the provider is ${all.map(([name]) => name).join(', ')}`
  const settled = await Promise.allSettled(
    all.map(async ([name, effect]) => {
      const visit = await stage.challenged(await stage.passwordGiven())
      const { phone } = visit.person
      const id = box.add({ ...effect, operation: 'verifyCode', phone, times: Number.POSITIVE_INFINITY })
      try {
        const response = await stage.verify({
          ...visit,
          code: visit.code.replace(/.$/, (last) => (last === '1' ? '2' : '1')),
        })
        const reached = stage.checksOf(visit.person) > 0
        return { name, response, reached }
      } finally {
        box.remove(id)
      }
    }),
  )
  const outcomes = settled.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
  for (const one of settled) if (one.status === 'rejected') throw one.reason
  const open = outcomes.find(({ response }) => response.status < 400)
  if (open !== undefined) {
    return { tried, seen: `${open.name}: ${told(open.response)}`, fell: true, request: open.response.request }
  }
  if (!outcomes.some(({ reached }) => reached)) throw new NotTried('the app checks codes itself')
  return { tried, seen: 'nobody got in', fell: false }
}
