import express, { type Express, type RequestHandler } from 'express'
import type { Sandbox } from 'express-two-factor/sandbox'
import type { RehearsalOptions } from 'express-two-factor/testing'
import { onTestFinished, vi } from 'vitest'
import { createDemo } from '../../../examples/demo/app.js'
import { rehearsalOf } from '../../../examples/demo/rehearsal.js'
import { createAuthJs } from './auth-js.js'

export interface User {
  readonly name: string
  readonly password: string
  readonly phone: string
}

/** What `rehearse` has to know of an app that is known to be right. */
type Example = RehearsalOptions<User>

/** Loads an example as it stands, on this sandbox, and finds its accounts: the Map that it puts Ana into. */
async function load(name: string, sandbox: Sandbox) {
  const found: { app?: Express; accounts?: Map<string, User> } = {}
  class Noticed<Key, Value> extends Map<Key, Value> {
    constructor(entries?: Iterable<readonly [Key, Value]> | null) {
      super(entries)
      if (this.has('ana' as Key)) found.accounts = this as unknown as Map<string, User>
    }
  }
  vi.stubGlobal('Map', Noticed)
  vi.doMock('express-two-factor/sandbox', () => ({ startSandbox: async () => sandbox }))
  const listen = vi.spyOn(express.application, 'listen').mockImplementation(function (this: Express) {
    found.app = this
    return { once: () => {} } as never
  })
  try {
    // Once for each store: a module is loaded only once.
    vi.resetModules()
    await import(`../../../examples/${name}.ts`)
  } finally {
    listen.mockRestore()
    vi.doUnmock('express-two-factor/sandbox')
    vi.unstubAllGlobals()
  }
  const { app, accounts } = found
  if (app === undefined || accounts === undefined) throw new Error(`${name} has no app, or no accounts`)
  return { app, accounts }
}

let apps = 0

/** People of one app. No two apps share a number. */
function peopleOf(add: (user: User) => void) {
  apps = (apps % 9) + 1
  const prefix = `+57301${apps}`
  return (index: number): User => {
    const phone = prefix + String(index).padStart(6, '0')
    const user = { name: `person-${index}`, password: `sesame-${index}`, phone }
    add(user)
    return user
  }
}

const onePage =
  (name: string, more: Partial<RehearsalOptions<User>> = {}) =>
  async (sandbox: Sandbox): Promise<Example> => {
    const { app, accounts } = await load(name, sandbox)
    const person = peopleOf((user) => void accounts.set(user.name, user))
    const signIn: RehearsalOptions<User>['signIn'] = (agent, user) =>
      agent.post('/login', { name: user.name, password: user.password })
    return { app, sandbox, person, signIn, pages: ['/account'], ...more }
  }

const signOut = { name: 'sign-out', path: '/logout' }

/** On Express 4 what an async handler rejects with, as those of the demo may, reaches nobody. */
const rejectionsTravel = !('lazyrouter' in express.application)

async function demo(sandbox: Sandbox): Promise<Example> {
  const { app, accounts, close } = createDemo(sandbox)
  const { signUp, ...rehearsal } = rehearsalOf(accounts)
  onTestFinished(close)
  return { app, sandbox, ...rehearsal, ...(rejectionsTravel && signUp && { signUp }) }
}

/** Bearer tokens, and a cookie that is about something else. */
async function tokens(sandbox: Sandbox): Promise<Example> {
  const { app, ...plan } = await onePage('tokens', {
    async signIn(agent, { name, password }) {
      const { json } = await agent.post('/token', { name, password })
      agent.headers.authorization = `Bearer ${json.access_token}`
    },
  })(sandbox)
  const setsLanguage: RequestHandler = (_req, res, next) => {
    res.cookie('lang', 'en')
    next()
  }
  return { ...plan, app: express().use(setsLanguage, app as Express) }
}

/** Four examples of the package and an app of somebody else, none of which has a mistake in its wiring. */
const examples: Readonly<Record<string, (sandbox: Sandbox) => Promise<Example>>> = {
  demo,
  'auth-js': async (sandbox) => createAuthJs(sandbox, peopleOf),
  'cookie-session': onePage('cookie-session', { signOut }),
  passport: onePage('passport', { signOut }),
  tokens,
}

/** All of them, on this sandbox. */
export async function loadExamples(sandbox: Sandbox): Promise<Record<string, Example>> {
  const loaded: Record<string, Example> = {}
  // In turn: an example is recognised by what it makes while it loads.
  for (const [name, start] of Object.entries(examples)) loaded[name] = await start(sandbox)
  return loaded
}
