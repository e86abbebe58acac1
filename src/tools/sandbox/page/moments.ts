/** Returns the time of day in the time zone of this machine: 12:04:31. */
export function timeText(at: number): string {
  return new Date(at).toLocaleTimeString('en-GB')
}

/** Returns the time of a moment, with the date if it is another day. */
export function momentText(at: number, now: number): string {
  const day = (ms: number) => new Date(ms).toLocaleDateString('en-CA')
  return day(at) === day(now) ? timeText(at) : `${day(at)} ${timeText(at)}`
}

const units = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1_000],
] as const

/** Returns a duration in its two largest units: 1 hour 5 minutes. */
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
