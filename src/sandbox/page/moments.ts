/** A moment as a person reads it on this simulation: the time, and the day when it is another one. */
export function momentText(at: number, now: number): string {
  const day = (ms: number) => new Date(ms).toLocaleDateString('en-CA')
  const time = new Date(at).toLocaleTimeString('en-GB')
  return day(at) === day(now) ? time : `${day(at)} ${time}`
}

const units = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1_000],
] as const

/** A length of time in its two largest units: 1 hour 5 minutes. */
export function durationText(ms: number): string {
  let rest = ms
  const parts: string[] = []
  for (const [unit, size] of units) {
    const count = Math.floor(rest / size)
    rest -= count * size
    if (count > 0) parts.push(`${count} ${unit}${count === 1 ? '' : 's'}`)
  }
  return parts.slice(0, 2).join(' ') || 'less than a second'
}
