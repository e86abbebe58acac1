import { expect, it } from 'vitest'
import type { SendResult, Verdict } from '../../src/index.js'
import type { Answer } from './browser.js'
import { startHost } from './kit.js'

/** Ana at an app whose service returns this, as a program or in a browser. */
async function startAna({ sent, verdict }: { readonly sent: SendResult; readonly verdict: Verdict }) {
  const host = await startHost({
    provider: () => ({ sendCode: async () => sent, checkCode: async () => verdict }),
  })
  return host.login()
}

const seenBy = ({ status, headers }: Answer) => [status, headers.get('retry-after')]

const postponed = { sent: { result: 'later', retryAfterMs: 90_000 }, verdict: 'approved' } as const
const ended = { sent: { result: 'sent' }, verdict: 'over' } as const

it('a send that the service postpones is 503 in JSON until the pause has ended', async () => {
  const ana = await startAna(postponed)
  for (const attempt of [1, 2]) {
    const answer = await ana.start()
    expect([attempt, ...seenBy(answer)]).toEqual([attempt, 503, '90'])
    expect(answer.json).toMatchObject({
      code: 'provider_unavailable',
      title: 'Codes cannot be sent or checked right now',
      detail: "Sorry, we can't send codes right now. Try again in 2 minutes.",
      retryAfterMs: 90_000,
    })
  }
})

it('a send that the service postpones is 503 on a page that names the pause', async () => {
  const ana = await startAna(postponed)
  const answer = await ana.submit('/two-factor/start')
  expect(seenBy(answer)).toEqual([503, '90'])
  expect(answer.text).toContain('Sorry, we can&#39;t send codes right now.')
  expect(answer.text).toContain('Try again in 2 minutes.')
  expect(answer.text).not.toContain('to this number')
})

it('a verification that has ended at the service is 410 in JSON, and the next code is another challenge', async () => {
  const ana = await startAna(ended)
  await ana.start()
  const answer = await ana.verify('482913')
  expect(seenBy(answer)).toEqual([410, null])
  expect(answer.json).toMatchObject({
    code: 'challenge_gone',
    title: 'The challenge has expired or does not exist',
    detail: 'That code no longer works. Ask for a new one.',
  })
})

it('a verification that has ended at the service is 410 on a page that offers a new code', async () => {
  const ana = await startAna(ended)
  await ana.submit('/two-factor/start')
  const answer = await ana.submit('/two-factor/verify', { code: '482913' })
  expect(seenBy(answer)).toEqual([410, null])
  expect(answer.text).toContain('That code no longer works.')
  expect(answer.text).toContain('Ask for a new one.')
  expect(answer.text).toContain('action="/two-factor/start"')
})
