import { randomBytes } from 'node:crypto'
import type { EventEmitter } from 'node:events'
import { Router } from 'express'
import type { Inbox } from 'express-two-factor/sandbox'
import type { Accounts } from './accounts.js'
import type { Pages } from './pages.js'

/** What became of a thousand guesses, while they are made and after. */
export interface Guessed {
  /** Status and code of each answer, in the order in which they came. */
  readonly answers: readonly string[]
  /** How many were really checked: by the provider, or by the bank when it makes the codes. */
  readonly reached: number
  readonly ms: number
  /** How long the code is. */
  readonly digits: number
}

export interface Guesses {
  /** The last attack, or the one that is running. */
  last(): Guessed | undefined
  /** A page that attacks the bank it belongs to, over HTTP like anybody else. */
  routes(pages: Pages): Router
}

const guesses = 1_000
const atOnce = 50

export function createGuesses(
  accounts: Accounts,
  parts: {
    readonly inbox: Pick<Inbox, 'waitFor'>
    /** How many codes were ever checked. */
    readonly checks: () => number
    readonly changes: EventEmitter
  },
): Guesses {
  const { inbox, checks, changes } = parts
  let targets = 0
  let last: Guessed | undefined
  let running: Promise<void> | undefined

  /** Each attack has a target of its own: the one before is locked. */
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
        // One attack at a time, however often the button is pressed.
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

/** A program that keeps its cookies. Returns status and code of each answer. */
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
