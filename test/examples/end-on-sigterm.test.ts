import { once } from 'node:events'
import { Agent, request } from 'node:http'
import { connect } from 'node:net'
import { startSandbox } from 'express-two-factor/sandbox'
import { expect, it, onTestFinished } from 'vitest'
import { path } from '../documents.js'
import { until } from '../store/redis-server.js'
import { observe } from '../tools/cli/program.js'

/** An app by the recipe, in a process of its own. */
async function startApp() {
  const sandbox = await startSandbox()
  onTestFinished(() => sandbox.close())
  const client = JSON.stringify({ baseUrl: sandbox.baseUrl, ...sandbox.credentials })
  const script = `
    import express from 'express'
    import session from 'express-session'
    import { createClient, providerCodes, twoFactor } from 'express-two-factor'
    import { endOnSigterm } from './build/examples/end-on-sigterm.js'
    const tf = twoFactor({
      provider: providerCodes({ client: createClient(${client}), approvedStatuses: ['verified'] }),
      appName: 'Acme', secret: 'only for tests, at least 32 bytes long', countries: ['CO'],
      subject: () => 'ana', phone: () => '+573001234567',
    })
    const app = express()
    app.use(session({ secret: 'test', resave: false, saveUninitialized: true, cookie: { sameSite: 'lax' } }))
    app.use('/two-factor', tf.routes())
    const server = app.listen(0, '127.0.0.1', () => console.log(server.address().port))
    endOnSigterm(server, () => tf.close())`
  const child = observe(process.execPath, ['--input-type=module', '-e', script], {}, path('.'))
  const port = Number(await child.line())
  const agent = new Agent({ keepAlive: true })
  onTestFinished(() => agent.destroy())
  const headers = { accept: 'application/json', 'content-type': 'application/json' }
  return {
    sandbox,
    /** A connection that has sent so much of a request, and stays open. */
    async connectWith(text: string) {
      const socket = connect(port, '127.0.0.1').on('error', () => {})
      onTestFinished(() => void socket.destroy())
      await once(socket, 'connect')
      socket.write(text)
    },
    /** Asks for a code over a connection that is kept. Resolves with the status. */
    start: () =>
      new Promise<number | undefined>((resolve, reject) => {
        const sent = request({
          port,
          host: '127.0.0.1',
          agent,
          method: 'POST',
          path: '/two-factor/start',
          headers,
        })
        sent.once('error', reject).once('response', (res) => {
          res.resume().once('end', () => resolve(res.statusCode))
        })
        sent.end('{}')
      }),
    /** Ends it, and tells with which code and after how long. */
    async end() {
      const startedAt = performance.now()
      child.interrupt('SIGTERM')
      const code = await child.exitCode
      return { code, tookMs: performance.now() - startedAt }
    },
  }
}

/** Less than a kept connection of Node's server lasts, however busy the machine is. */
const soonMs = 4_000

it('nothing under way: connections that are kept, unused or half a request hold nothing up', async () => {
  const app = await startApp()
  expect(await app.start()).toBe(201)
  await app.connectWith('')
  await app.connectWith('POST /two-factor/start HTTP/1.1\r\n')
  const { code, tookMs } = await app.end()
  expect(code).toBe(0)
  expect(tookMs).toBeLessThan(soonMs)
})

it('a code that is under way is sent and answered first', async () => {
  const app = await startApp()
  app.sandbox.faults.add({ operation: 'sendSmsCode', kind: 'slow', delayMs: 500 })
  const answered = app.start()
  await until(() => app.sandbox.requests.count('sendSmsCode') === 1)
  const { code, tookMs } = await app.end()
  expect([await answered, code]).toEqual([201, 0])
  expect(tookMs).toBeLessThan(soonMs)
})
