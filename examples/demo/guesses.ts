import { randomBytes } from 'node:crypto'
import type { EventEmitter } from 'node:events'
import { Router } from 'express'
import type { Inbox } from 'express-two-factor/sandbox'
import type { Accounts } from './accounts.js'
import type { Pages } from './pages.js'

/** Result of a thousand guesses, also while they are in progress. */
export interface Guessed {
  /** Status and code of each response, in the order of arrival. */
  readonly answers: readonly string[]
  /** Number of guesses that were checked by the provider, or by the bank if it generates the codes. */
  readonly reached: number
  readonly ms: number
  /** Length of the code. */
  readonly digits: number
}

export interface Guesses {
  /** Returns the current or last attack. */
  last(): Guessed | undefined
  /** Returns a page that attacks its own bank over HTTP. */
  routes(pages: Pages): Router
}

const guesses = 1_000
const atOnce = 50

export function createGuesses(
  accounts: Accounts,
  parts: {
    readonly inbox: Pick<Inbox, 'waitFor'>
    /** Returns the number of codes that were checked so far. */
    readonly checks: () => number
    readonly changes: EventEmitter
  },
): Guesses {
  const { inbox, checks, changes } = parts
  let targets = 0
  let last: Guessed | undefined
  let running: Promise<void> | undefined

  /** Attacks a new account, because the last one is locked. */
  async function attack(origin: string): Promise<void> {
    targets += 1
    const name = `target-${targets}`
    const password = randomBytes(9).toString('base64')
    const phone = `+57320${String(targets).padStart(7, '0')}`
    accounts.open({ name, password, phone })

    const post = createAttacker(origin)
    await post('/password', { name, password })
    await post('/two-factor/start', { purpose: 'login' })
    const { code } = await inbox.waitFor(phone)
    const wrong = Array.from({ length: guesses + 1 }, (_, guess) => String(guess).padStart(code.length, '0'))
    const tried = wrong.filter((guess) => guess !== code).slice(0, guesses)

    const before = checks()
    const began = performance.now()
    const answers: string[] = []
    const guess = async (wrongCode: string) => {
      answers.push(await post('/two-factor/verify', { code: wrongCode }))
      const ms = Math.round(performance.now() - began)
      last = { answers, reached: checks() - before, ms, digits: code.length }
      changes.emit('change')
    }
    for (let next = 0; next < tried.length; next += atOnce) {
      await Promise.all(tried.slice(next, next + atOnce).map(guess))
    }
  }

  return {
    last: () => last,
    routes(pages) {
      const router = Router()
      router.get('/', (req, res) => {
        res.send(pages(req).guesses(last))
      })
      router.post('/', async (req, res) => {
        // Only one attack runs at a time, also after several clicks.
        running ??= attack(`http://127.0.0.1:${req.socket.localPort}`).finally(() => {
          running = undefined
        })
        await running
        res.redirect(303, '/guesses')
      })
      return router
    },
  }
}

/** Creates a client that stores its cookies and returns status and code of each response. */
function createAttacker(origin: string) {
  let cookie = ''
  return async (path: string, body: object): Promise<string> => {
    const response = await fetch(`${origin}${path}`, {
      method: 'POST',
      headers: { accept: 'application/json', 'content-type': 'application/json', cookie },
      body: JSON.stringify(body),
    })
    for (const set of response.headers.getSetCookie()) cookie = set.replace(/;.*/, '')
    const { code } = (await response.json()) as { code?: string }
    return `${response.status} ${code ?? ''}`.trim()
  }
}
