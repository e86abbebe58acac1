import { expect, it } from 'vitest'
import type { CodeProvider } from '../../../src/challenge/exchange/code-provider.js'
import { read } from '../../documents.js'
import { createService } from '../service.js'

const hour = 3_600_000

/** The figures of a row in the table of costs: texts in an hour, and in a day. */
function documented(row: string): readonly number[] {
  const cells = read('docs/operation.md')
    .split('\n')
    .find((line) => line.startsWith(`| ${row}`))
    ?.split('|')
  return (cells ?? []).slice(2, 4).map(Number)
}

/** Requests a code as soon as one is possible, for a day, and returns the sends of the first hour and of the day. */
async function mostSends(result: 'sent' | 'unconfirmed', browsers: readonly ('unknown' | 'known')[]) {
  const times: number[] = []
  const codes: CodeProvider = {
    async sendCode() {
      times.push(now())
      return { result }
    },
    checkCode: async () => 'rejected',
  }
  const { challenges, now, wait } = createService({ codes })
  const startedAt = now()
  while (now() < startedAt + 24 * hour) {
    const waits: number[] = []
    for (const browser of browsers) {
      const who = { subject: 'ana', session: browser, phone: '+573001234567', purpose: 'login' }
      const outcome = await challenges.start({ ...who, knownBrowser: browser === 'known' })
      if (outcome.outcome === 'refused') waits.push(Number(outcome.retryAfterMs))
      if (outcome.outcome === 'already-sent') waits.push(outcome.challenge.resendAt - now())
    }
    wait(waits.length < browsers.length ? 1_000 : Math.max(1, Math.min(...waits)))
  }
  return [times.filter((at) => at < startedAt + hour).length, times.length]
}

it('the texts of one account, requested without end, are those of the document', async () => {
  expect(await mostSends('sent', ['unknown', 'known'])).toEqual(documented('to one account, if no code'))
  const unanswered = documented('to each number of an account, if the provider bills')
  expect(await mostSends('unconfirmed', ['unknown', 'known'])).toEqual(unanswered)
})

it('an attacker who has only the password causes half of them, or 60% without a response', async () => {
  const [most, unanswered] = [
    await mostSends('sent', ['unknown']),
    await mostSends('unconfirmed', ['unknown']),
  ]
  expect([most, unanswered]).toEqual([
    [5, 10],
    [12, 288],
  ])
  expect(read('docs/operation.md')).toContain('causes half of the first row, or 60% of the third')
})
