import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, test } from 'vitest'
import { type Sandbox, startSandbox } from '../../../src/tools/sandbox/index.js'
import { get, post } from './wire.js'

setFlagsFromString('--expose-gc')
const collectGarbage: () => void = runInNewContext('gc')

function heapMiB(): number {
  collectGarbage()
  return process.memoryUsage().heapUsed / 1_048_576
}

/** What a request carries beside the few characters that are remembered of it. */
const filling = (bytes: number) => ({ filling: 'x'.repeat(bytes) })
const phone = '573001234567'

// Up to twelve characters are copied whenever a string is cut: only longer ones tell.
const requests: Record<string, (sandbox: Sandbox, index: number) => Promise<unknown>> = {
  codes: ({ baseUrl }, index) =>
    post(`${baseUrl}/2fa/send-sms`, { phone, 'app-name': `Acme-and-Sons-${index}`, ...filling(60_000) }),
  texts: ({ baseUrl }) =>
    post(`${baseUrl}/send-sms`, { phone, sms: 'Hello-and-welcome', ...filling(60_000) }),
  links: ({ baseUrl }, index) =>
    post(`${baseUrl}/url/short`, {
      name: `the-spring-offer-${index}`,
      'url-long': 'https://example.com/',
      ...filling(60_000),
    }),
  queries: ({ baseUrl }) => get(`${baseUrl}/messages-state`, { id: 'a', ...filling(14_000) }),
  clicks: ({ inboxUrl }) =>
    fetch(`${inboxUrl}s/spring`, {
      redirect: 'manual',
      headers: { 'X-Sandbox-Place': `CO/Antioquia-and-around/${'x'.repeat(14_000)}` },
    }),
}

test.each(Object.entries(requests))(
  'what is remembered of %s does not keep whole requests alive',
  async (_what, send) => {
    await using sandbox = await startSandbox({ credits: 100_000 })
    await post(`${sandbox.baseUrl}/url/short`, {
      name: 'spring',
      alias: 'spring',
      'url-long': 'https://example.com/',
    })
    await send(sandbox, -1)
    const before = heapMiB()
    for (let sent = 0; sent < 400; sent += 20) {
      await Promise.all(Array.from({ length: 20 }, (_, index) => send(sandbox, sent + index)))
    }
    expect(heapMiB() - before).toBeLessThan(4)
  },
)
