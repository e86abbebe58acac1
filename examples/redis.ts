// Sign-in by two processes that take turns and share one Redis; needs redis-server on the PATH.
// In the source, after `npm run build`: node build/examples/redis.js
import { fork, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { startSandbox } from 'express-two-factor/sandbox'
import { secret } from './secret.js'

const port = process.env.PORT ?? 3000

// Replaces the provider.
const sandbox = await startSandbox()
const redisUrl = process.env.REDIS_URL ?? (await startRedis())
// All processes need one secret, because each verifies values that the other signed.
const secrets = { TWO_FACTOR_SECRET: secret('TWO_FACTOR_SECRET'), SESSION_SECRET: secret('SESSION_SECRET') }
const ports = await Promise.all([startApp(), startApp()])
createServer(inTurns).listen(port, () => {
  console.log(`http://localhost:${port} is the app, ${sandbox.inboxUrl} shows the codes`)
})
process.once('SIGINT', () => process.exit()).once('SIGTERM', () => process.exit())

/** Starts redis/app.ts as a process of its own, which prints its address. */
async function startApp(): Promise<number> {
  const { baseUrl, credentials, approvedStatuses } = sandbox
  const app = fork(fileURLToPath(new URL('redis/app.js', import.meta.url)), {
    env: {
      ...process.env,
      ...secrets,
      REDIS_URL: redisUrl,
      PROVIDER: JSON.stringify({ baseUrl, credentials, approvedStatuses }),
    },
  })
  const [listensOn] = await once(app, 'message')
  return listensOn as number
}

let turn = 0

/** Passes each request to the next process, without sticky sessions. */
function inTurns(req: IncomingMessage, res: ServerResponse): void {
  turn += 1
  const { method = 'GET', url: path = '/', socket } = req
  const headers = { ...req.headers, 'x-forwarded-for': socket.remoteAddress }
  const onward = request({ port: ports[turn % ports.length], method, path, headers }, (answer) => {
    res.writeHead(answer.statusCode ?? 502, answer.headers)
    answer.pipe(res)
  })
  onward.once('error', () => res.writeHead(502).end())
  req.pipe(onward)
}

/** Starts a Redis without files, which ends with this process. */
async function startRedis(): Promise<string> {
  const free = await freePort()
  const redis = spawn('redis-server', ['--port', `${free}`, '--bind', '127.0.0.1', '--save', ''])
  redis.once('error', () => {
    console.error('There is no redis-server on the PATH. Install Redis, or set REDIS_URL to one that runs.')
    process.exit(1)
  })
  process.once('exit', () => redis.kill())
  for await (const line of createInterface(redis.stdout)) {
    if (line.includes('Ready to accept connections')) break
  }
  redis.stdout.resume()
  return `redis://127.0.0.1:${free}`
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const { port: free } = probe.address() as AddressInfo
  probe.close()
  return free
}
