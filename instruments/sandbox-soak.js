/*
 * 100,000 codes and then 500 texts to 4,000 numbers each, over HTTP, to one sandbox with its page open:
 * prints what stays in memory, and what 20 open pages cost while nothing happens.
 * npm run soak:sandbox
 */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { argv, memoryUsage } from 'node:process'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

const total = 100_000
const step = 10_000
const atOnce = 32
const lists = 500

if (argv[2] === 'serve') await serve()
else await drive()

async function serve() {
  const { startSandbox } = await import('../dist/tools/sandbox/index.js')
  const sandbox = await startSandbox({ credits: 1e9 })
  process.on('message', (what) => {
    // Not for the figures of an idle sandbox: collecting would be most of what they show.
    if (what === 'memory') globalThis.gc()
    const { heapUsed, rss } = memoryUsage()
    const { user, system } = process.cpuUsage()
    process.send({ heapUsed, rss, cpuMs: (user + system) / 1_000 })
  })
  process.send(sandbox.baseUrl)
}

async function drive() {
  const { Pool } = await import('undici')
  const child = fork(fileURLToPath(import.meta.url), ['serve'], { execArgv: ['--expose-gc'] })
  const [baseUrl] = await once(child, 'message')
  const { origin } = new URL(baseUrl)
  const pool = new Pool(origin, { connections: atOnce })
  const page = await fetch(`${origin}/_sandbox/stream`)
  page.body.pipeTo(new WritableStream()).catch(() => {})

  const started = performance.now()
  async function report(what) {
    const { heapUsed, rss } = await measure(child, 'memory')
    const seconds = ((performance.now() - started) / 1_000).toFixed(1)
    console.log(`${what.padEnd(14)} heap ${mib(heapUsed)} MiB  rss ${mib(rss)} MiB  ${seconds.padStart(5)} s`)
  }

  let sent = 0
  while (sent < total) {
    const until = sent + step
    await Promise.all(
      Array.from({ length: atOnce }, async () => {
        while (sent < until) {
          sent += 1
          await send(pool, '/v1/2fa/send-sms', { phone: 573_000_000_000 + sent, 'app-name': 'Acme' })
        }
      }),
    )
    await report(`${sent} codes`)
  }
  const phone = Array.from({ length: 4_000 }, (_, index) => 573_000_000_000 + index).join()
  for (let list = 0; list < lists; list += 1) await send(pool, '/v1/send-sms', { phone, sms: 'Hello' })
  await report(`${lists} lists`)
  await pool.close()

  // One page is open already.
  for (let count = 1; count < 20; count += 1) {
    const { body } = await fetch(`${origin}/_sandbox/stream`)
    body.pipeTo(new WritableStream()).catch(() => {})
  }
  // The last messages are still on their way to being read.
  await sleep(31_000)
  const before = await measure(child, 'processor')
  await sleep(10_000)
  const after = await measure(child, 'processor')
  console.log(`20 idle pages  ${((after.cpuMs - before.cpuMs) / 100).toFixed(2)} % of a core`)
  child.kill()
}

async function measure(child, what) {
  child.send(what)
  const [figures] = await once(child, 'message')
  return figures
}

async function send(pool, path, fields) {
  const { statusCode, body } = await pool.request({
    path,
    method: 'POST',
    headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({ client: '100200', key: 'sandbox-key', ...fields }).toString(),
  })
  await body.dump()
  if (statusCode !== 200) throw new Error(`answered ${statusCode}`)
}

function mib(bytes) {
  return (bytes / 1_048_576).toFixed(1).padStart(6)
}
