import { withRedis } from './redis-server.js'

/**
 * The figure of one bar, as the median of its rounds: that of `ours`, or its ratio to `theirs`. Both are functions of
 * the provider and, where the bar is `onRedis`, of a port. A bar has as many rounds as it says, or those of this run.
 */
export async function measure(bar, { provider, rounds }) {
  const count = bar.rounds?.(rounds) ?? rounds
  const inRounds = (given) => {
    const ours = () => bar.ours(given)
    return bar.theirs === undefined ? absolute(count, ours) : ratio(count, ours, () => bar.theirs(given))
  }
  const found = await (bar.onRedis
    ? withRedis((redis) => inRounds({ provider, redis }))
    : inRounds({ provider }))
  if (bar.multipleOf === undefined) return found
  const base = await baseOf(bar.multipleOf, { provider, rounds })
  return { median: found.median / base, lowest: found.lowest / base, highest: found.highest / base }
}

const bases = new Map()

/** The median of a comparison that others are a multiple of, which is measured once. */
async function baseOf(comparison, bench) {
  if (!bases.has(comparison)) bases.set(comparison, await measure(comparison, bench))
  return bases.get(comparison).median
}

/** Of what is the same each time. */
export const once = () => 1

/** The middle of the figures, and the lowest and highest. */
function summary(figures) {
  const sorted = figures.toSorted((a, b) => a - b)
  const middle = (sorted.length - 1) / 2
  const median = (sorted[Math.floor(middle)] + sorted[Math.ceil(middle)]) / 2
  return { median, lowest: sorted[0], highest: sorted.at(-1) }
}

/** Runs both sides in turn, the other one first each time, and sums up the ratios of the pairs. */
async function ratio(rounds, ours, theirs) {
  const ratios = []
  for (let round = 0; round < rounds; round += 1) {
    const early = round % 2 === 0 ? await ours() : undefined
    const their = await theirs()
    ratios.push((early ?? (await ours())) / their)
  }
  return summary(ratios)
}

async function absolute(rounds, ours) {
  const figures = []
  for (let round = 0; round < rounds; round += 1) figures.push(await ours())
  return summary(figures)
}
