// The demo bank beside the sandbox: `npm start`. With --walkthrough it is driven once over HTTP and ends;
// with --own-codes the bank makes the codes in place of the provider.
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { startSandbox } from 'express-two-factor/sandbox'
import { createDemo } from './demo/app.js'
import { walkThrough } from './demo/walkthrough.js'

const sandbox = await orOnFreePort((port) => startSandbox({ port }), 4000)
const makesCodes = process.argv.includes('--own-codes')
const demo = createDemo(sandbox, { makesCodes })
const server = await orOnFreePort((port) => listen(demo.app, port), 3000)
const origin = `http://localhost:${(server.address() as AddressInfo).port}`

async function stop(): Promise<void> {
  server.close()
  server.closeAllConnections()
  await demo.close()
  await sandbox.close()
}

if (process.argv.includes('--walkthrough')) {
  try {
    await walkThrough(origin, sandbox)
  } catch (error) {
    console.error(`\nThe walkthrough stopped: ${error instanceof Error ? error.message : error}`)
    process.exitCode = 1
  }
  await stop()
} else {
  console.log(`
  Demo bank   ${origin}
  Inbox       ${sandbox.inboxUrl}   codes arrive here, nothing is really sent

  Sign in     ${origin}/login          name ana, password sesame
  Step up     ${origin}/settings       asks for a fresh code
  Transfer    ${origin}/transfer       a code for this very amount
  Sign up     ${origin}/signup/phone   any mobile number of BR, CO, ES or MX
  Break in    ${origin}/guesses        1,000 guesses, five reach ${makesCodes ? 'the check of the bank' : 'the provider'}

  Ctrl-C ends both. All of it over HTTP, step by step: npm start -- --walkthrough
`)
  process.once('SIGINT', stop).once('SIGTERM', stop)
}

function listen(app: RequestListener, port: number): Promise<Server> {
  return new Promise((resolve, reject) => {
    const started = createServer(app).once('error', reject)
    started.listen(port, '127.0.0.1', () => resolve(started))
  })
}

/** Addresses that stay the same from run to run, unless another program has the port. */
async function orOnFreePort<T>(start: (port: number) => Promise<T>, port: number): Promise<T> {
  try {
    return await start(port)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error
    return start(0)
  }
}
