/** The middle of the figures, and the lowest and highest. */
export function summary(figures) {
  const sorted = figures.toSorted((a, b) => a - b)
  const middle = (sorted.length - 1) / 2
  const median = (sorted[Math.floor(middle)] + sorted[Math.ceil(middle)]) / 2
  return { median, lowest: sorted[0], highest: sorted.at(-1) }
}

/** Runs both sides in turn, the other one first each time, and sums up the ratios of the pairs. */
export async function ratio(rounds, ours, theirs) {
  const ratios = []
  for (let round = 0; round < rounds; round += 1) {
    const early = round % 2 === 0 ? await ours() : undefined
    const their = await theirs()
    ratios.push((early ?? (await ours())) / their)
  }
  return summary(ratios)
}

/** For what has a bar of its own and no counterpart. */
export async function absolute(rounds, measure) {
  const figures = []
  for (let round = 0; round < rounds; round += 1) figures.push(await measure())
  return summary(figures)
}
