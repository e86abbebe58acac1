import { randomBytes } from 'node:crypto'
import { Router } from 'express'
import type { Inbox } from 'express-two-factor/sandbox'
import type { Accounts } from './accounts.js'
import type { Pages } from './pages.js'

/** What became of a thousand guesses. */
export interface Guessed {
  /** How often each answer came, the most frequent first. */
  readonly statuses: ReadonlyMap<string, number>
  /** How many were really checked: by the provider, or by the bank when it makes the codes. */
  readonly reached: number
  readonly ms: number
}

const guesses = 1_000
const atOnce = 50

/** A page that attacks the bank it belongs to, over HTTP like anybody else. */
export function guessRoutes(
  accounts: Accounts,
  pages: Pages,
  { inbox, checks }: { readonly inbox: Pick<Inbox, 'waitFor'>; readonly checks: () => number },
): Router {
  const router = Router()
  let targets = 0
  let last: Guessed | undefined
  let running: Promise<Guessed> | undefined

  router.get('/', (_req, res) => {
    res.send(pages.guesses(last))
  })
  router.post('/', async (req, res) => {
    // One attack at a time, however often the button is pressed.
    running ??= attack(`http://127.0.0.1:${req.socket.localPort}`).finally(() => {
      running = undefined
    })
    last = await running
    res.redirect(303, '/guesses')
  })

  /** Each attack has a target of its own: the one before is locked. */
  async function attack(origin: string): Promise<Guessed> {
    targets += 1
    const name = `target-${targets}`
    const password = randomBytes(9).toString('base64')
    const phone = `+57320${String(targets).padStart(7, '0')}`
    accounts.add({ name, password, phone, email: `${name}@example.com`, movements: [] })

    const post = createAttacker(origin)
    await post('/password', { name, password })
    await post('/two-factor/start', { purpose: 'login' })
    const { code } = await inbox.waitFor(phone)
    const wrong = Array.from({ length: guesses + 1 }, (_, guess) => String(guess).padStart(code.length, '0'))
    const tried = wrong.filter((guess) => guess !== code).slice(0, guesses)

    const before = checks()
    const began = performance.now()
    const answers: string[] = []
    for (let next = 0; next < tried.length; next += atOnce) {
      const wave = tried.slice(next, next + atOnce)
      answers.push(...(await Promise.all(wave.map((guess) => post('/two-factor/verify', { code: guess })))))
    }
    return {
      statuses: counted(answers),
      reached: checks() - before,
      ms: Math.round(performance.now() - began),
    }
  }
  return router
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

function counted(answers: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>()
  for (const answer of answers) counts.set(answer, (counts.get(answer) ?? 0) + 1)
  return new Map([...counts].sort(([, some], [, others]) => others - some))
}
