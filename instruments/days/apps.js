// An app process, seen from the one that started it.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { Pool } from 'undici'

const program = fileURLToPath(new URL('app.js', import.meta.url))
const atOnce = 128
const timeout = 20_000

/** Starts an app that can be asked, measured, stopped and killed. It ends with this process at the latest. */
export async function startApp(setting) {
  const child = fork(program, [JSON.stringify(setting)], { execArgv: ['--expose-gc'] })
  const exit = once(child, 'exit')
  const { port } = await messageOf(child, exit)
  const options = { connections: atOnce, headersTimeout: timeout, bodyTimeout: timeout }
  const pool = new Pool(`http://127.0.0.1:${port}`, options)

  return {
    /** The status of one response; 0 when none came. */
    async ask(method, path, token, body) {
      const headers = { authorization: `Bearer ${token}`, accept: 'application/json' }
      if (body !== undefined) headers['content-type'] = 'application/json'
      const text = body === undefined ? null : JSON.stringify(body)
      try {
        const response = await pool.request({ method, path, headers, body: text })
        await response.body.dump()
        return response.statusCode
      } catch {
        return 0
      }
    },

    pass: (ms) => child.send({ command: 'pass', ms }),

    async measure() {
      child.send({ command: 'measure' })
      return messageOf(child, exit)
    },

    /** The handles that are open after `close()`, and whether the process ended by itself. */
    async stop() {
      await pool.close()
      child.send({ command: 'stop' })
      const { handles, faults, requests } = await messageOf(child, exit)
      const ended = await Promise.race([exit.then(() => true), wait(30_000, false, { ref: false })])
      if (!ended) child.kill('SIGKILL')
      return { handles, faults, requests, ended }
    },

    async kill() {
      child.kill('SIGKILL')
      await exit
      await pool.destroy()
    },
  }
}

async function messageOf(child, exit) {
  const died = exit.then(([code, signal]) => {
    throw new Error(`an app ended with ${code ?? signal}`)
  })
  const [message] = await Promise.race([once(child, 'message'), died])
  return message
}
