/** The time of day as this machine shows it: 12:04:31. */
export function timeText(at: number): string {
  return new Date(at).toLocaleTimeString('en-GB')
}

/** A moment for a person: its time, with the day when that is another one. */
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

/** A duration in its two largest units: 1 hour 5 minutes. */
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
