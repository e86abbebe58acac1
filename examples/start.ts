// Starts the demo bank and the sandbox: `npm start`.
import { readFileSync } from 'node:fs'
import { createServer, type RequestListener, type Server } from 'node:http'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { startSandbox } from 'express-two-factor/sandbox'
import { describeRehearsal, rehearse } from 'express-two-factor/testing'
import { createDemo } from './demo/app.js'
import { rehearsalOf } from './demo/rehearsal.js'
import { walkThrough } from './demo/walkthrough.js'

const manifest = createRequire(import.meta.url).resolve('express-two-factor/package.json')
const usage = readFileSync(join(manifest, '../examples/demo/usage.txt'), 'utf8')

const { walkthrough, rehearse: isAttacked, 'own-codes': makesCodes, help } = readOptions()
if (help) {
  process.stdout.write(usage)
  process.exit()
}
const sandbox = await orOnFreePort((port) => startSandbox({ port }), 4000)
const demo = createDemo(sandbox, { makesCodes })
const server = await orOnFreePort((port) => listen(demo.app, port), 3000)
const origin = `http://localhost:${(server.address() as AddressInfo).port}`

async function stop(): Promise<void> {
  server.close()
  server.closeAllConnections()
  await demo.close()
  await sandbox.close()
}

if (walkthrough) {
  try {
    await walkThrough(origin, sandbox)
  } catch (error) {
    console.error(`\nThe walkthrough stopped: ${error instanceof Error ? error.message : error}`)
    process.exitCode = 1
  }
  await stop()
} else if (isAttacked) {
  const rehearsal = await rehearse({ app: server, sandbox, ...rehearsalOf(demo.accounts) })
  console.log(describeRehearsal(rehearsal))
  process.exitCode = rehearsal.ok ? 0 : 1
  await stop()
} else {
  console.log(`
  Open    ${origin}    the bank, the phone that gets its codes, and what happens behind each click
  Inbox   ${sandbox.inboxUrl}   every text and call; nothing is really sent

  Ctrl-C ends both. More: npm start -- --help
`)
  process.once('SIGINT', stop).once('SIGTERM', stop)
}

function readOptions() {
  const flag = { type: 'boolean', default: false } as const
  try {
    return parseArgs({ options: { walkthrough: flag, rehearse: flag, 'own-codes': flag, help: flag } }).values
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : error}\n\n${usage}`)
    process.exit(2)
  }
}

function listen(app: RequestListener, port: number): Promise<Server> {
  return new Promise((resolve, reject) => {
    const started = createServer(app).once('error', reject)
    started.listen(port, '127.0.0.1', () => resolve(started))
  })
}

/** Uses equal addresses in each run, unless another program has the port. */
async function orOnFreePort<T>(start: (port: number) => Promise<T>, port: number): Promise<T> {
  try {
    return await start(port)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error
    return start(0)
  }
}
