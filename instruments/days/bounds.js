// What must have held, told from the record of the provider and from what people saw.
const minute = 60_000
const hour = 60 * minute
const day = 24 * hour

/** Between the booking in the ledger and the arrival at the provider. */
const slackMs = 10_000

/** What the ledgers allow to one number, as documented in docs/reference.md#limits. */
const allowances = [
  { what: 'sends in any hour, no success between', of: unprovenSends, windowMs: hour, atMost: 5 },
  { what: 'sends in any day, no success between', of: unprovenSends, windowMs: day, atMost: 10 },
  { what: 'sends in any hour', of: allSends, windowMs: hour, atMost: 20 },
  { what: 'sends in any day', of: allSends, windowMs: day, atMost: 50 },
  { what: 'sends in any minute, no success between', of: sendsAtAll, windowMs: minute, atMost: 1 },
  // Those of one challenge: no step of the clock lets one end and another begin within a minute.
  { what: 'checks in any minute, no success between', of: checks, windowMs: minute, atMost: 5 },
  { what: 'checks in any hour, no success between', of: checks, windowMs: hour, atMost: 25 },
  { what: 'checks in any day, no success between', of: checks, windowMs: day, atMost: 50 },
]

const notRefused = ({ sends }) => sends.filter(({ refused }) => !refused).map(({ at }) => at)

function allSends(record) {
  return [notRefused(record)]
}

function unprovenSends(record) {
  return betweenApprovals(notRefused(record), record)
}

// A refused send costs its cooldown as well.
function sendsAtAll(record) {
  const moments = record.sends.map(({ at }) => at)
  return betweenApprovals(moments, record)
}

function checks(record) {
  return betweenApprovals(record.checks, record)
}

/** The moments in runs, each of which ends with an approval. */
function betweenApprovals(moments, { approvals }) {
  const ends = [...approvals, Number.POSITIVE_INFINITY]
  let next = 0
  return ends.map((end) => {
    const from = next
    while (next < moments.length && moments[next] <= end) next += 1
    return moments.slice(from, next)
  })
}

function mostWithin(moments, windowMs) {
  let from = 0
  let most = 0
  for (const [index, at] of moments.entries()) {
    while (at - moments[from] >= windowMs - slackMs) from += 1
    most = Math.max(most, index - from + 1)
  }
  return most
}

/** The most that any number had of each, and whether that is within its allowance. */
export function withinAllowances(numbers) {
  const records = [...numbers.values()]
  return allowances.map(({ what, of, windowMs, atMost }) => {
    const runs = records.flatMap((record) => of(record).map((moments) => mostWithin(moments, windowMs)))
    const most = runs.reduce((high, count) => Math.max(high, count), 0)
    return { what, found: `${most} of ${atMost}`, holds: most <= atMost }
  })
}

/** By how much the heap grew over these samples: the slope of the line through them, times their span. */
export function growth(samples) {
  const middle = (pick) => samples.reduce((sum, sample) => sum + pick(sample), 0) / samples.length
  const [x, y] = [middle(({ logins }) => logins), middle(({ heap }) => heap)]
  const slope =
    samples.reduce((sum, { logins, heap }) => sum + (logins - x) * (heap - y), 0) /
    samples.reduce((sum, { logins }) => sum + (logins - x) ** 2, 0)
  return slope * (samples.at(-1).logins - samples[0].logins)
}
