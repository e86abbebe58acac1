import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { withoutRedis } from '../store/redis-server.js'

const run = promisify(execFile)
const program = fileURLToPath(new URL('../../instruments/days/run.js', import.meta.url))
const day = 24 * 60 * 60_000
const { withinAllowances } = await import(new URL('../../instruments/days/bounds.js', import.meta.url).href)

interface Result {
  readonly what: string
  readonly found: string
  readonly holds: boolean
}

/** What a number broke that had these sends and checks, in minutes after its first day, and these approvals. */
function broken(sends: number[], checks: number[] = [], approvals: number[] = []): string[] {
  const moments = (minutes: number[]) => minutes.map((at) => day + at * 60_000)
  const record = {
    sends: moments(sends).map((at) => ({ at, refused: false })),
    checks: moments(checks),
    approvals: moments(approvals),
  }
  const results: Result[] = withinAllowances(new Map([['573001000000', record]]))
  return results.filter(({ holds }) => !holds).map(({ what, found }) => `${what}: ${found}`)
}

const everyMinutes = (minutes: number, count: number) =>
  Array.from({ length: count }, (_, index) => index * minutes)

describe('the soak', () => {
  it.skipIf(withoutRedis)(
    'lets a hundred logins through two apps, a Redis and a provider in trouble, and finds nothing',
    async () => {
      // It ends with 1 when a bound is broken: what it printed says which.
      const { stdout } = await run(process.execPath, [program, '--logins', '100']).catch((error) => error)
      expect(stdout).not.toMatch(/BROKEN/)
      expect(stdout).toMatch(/100 logins in \d+ s and 0.2 days, \d+ succeeded/)
      expect(stdout).toMatch(/second app: 1 stopped, 1 killed/)
      expect(stdout).toMatch(/^holds {3}handles open after close\(\): none$/m)
    },
  )
})

describe('the bounds of the soak', () => {
  it('hold for a number that is used up to its allowance', () => {
    expect(broken(everyMinutes(12, 5), everyMinutes(2, 25))).toEqual([])
    expect(broken(everyMinutes(4, 15), everyMinutes(4, 15), everyMinutes(4, 15))).toEqual([])
  })

  it.each([
    ['a sixth send in an hour', broken(everyMinutes(10, 6)), 'any hour, no success between: 6 of 5'],
    ['an eleventh send in a day', broken(everyMinutes(60, 11)), 'any day, no success between: 11 of 10'],
    [
      'a sixth guess at one challenge',
      broken([0], everyMinutes(0.1, 6)),
      'any minute, no success between: 6 of 5',
    ],
    [
      'a twenty-first send in an hour, though all were approved',
      broken(everyMinutes(2, 21), everyMinutes(2, 21), everyMinutes(2, 21)),
      'any hour: 21 of 20',
    ],
  ])('break at %s', (_what, found, wanted) => {
    expect(found).toContainEqual(expect.stringContaining(wanted))
  })
})
