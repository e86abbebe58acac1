import { optionError } from '../../../lib/options.js'
import { type AgentOptions, createAgent } from './agent.js'
import type { RehearsalOptions, RehearsalPerson } from './contract.js'
import { createDeeds } from './deeds.js'
import type { Ear } from './ear.js'
import type { HeldSandbox } from './held-sandbox.js'
import { createPages } from './pages.js'
import { lacking, refused } from './verdicts.js'
import type { Challenged, Visit } from './visit.js'
import type { RehearsalResponse, Wire } from './wire.js'

/** The app, the people and the phones: what attacks are made of. */
export type Stage = ReturnType<typeof createStage>

export interface StageParts {
  readonly wire: Wire
  readonly sandbox: HeldSandbox
  readonly options: RehearsalOptions
  readonly ear: Ear
  /** How large bursts are: 1 is in full, and with 0 or less they are as small as can be. */
  readonly scale: number
}

export function createStage({ wire, sandbox, options, ear, scale }: StageParts) {
  const { path = '/two-factor', pages = [], actions = [] } = options
  const lastMessage = new Map<string, string>()
  const numbers = new Set<string>()
  let people = 0
  let newcomers = 0

  const agent = (more: Pick<AgentOptions, 'alter'> = {}) =>
    createAgent(wire, { onResponse: ear.hear, ...more })

  async function person(): Promise<RehearsalPerson> {
    people += 1
    const somebody = await options.person(people)
    // What one does would count against another.
    if (numbers.has(somebody.phone)) {
      throw optionError(
        'rehearse: person returned a number twice; each person needs an account and a number of their own',
      )
    }
    numbers.add(somebody.phone)
    return somebody
  }

  /** Somebody without an account. */
  async function newcomer(): Promise<Visit> {
    newcomers += 1
    return { agent: agent(), person: await given('signUp').newcomer(newcomers) }
  }

  /** What the plan gives for one row. */
  function given<Name extends 'signOut' | 'changePassword' | 'signUp' | 'coverage'>(name: Name) {
    const value = options[name]
    if (value === undefined) throw lacking(name)
    return value as NonNullable<RehearsalOptions[Name]>
  }

  /** Somebody who has given a password, if a person signs in with one, and no code yet. */
  async function passwordGiven(by: Partial<Visit> = {}): Promise<Visit> {
    const visit = { agent: by.agent ?? agent(), person: by.person ?? (await person()) }
    const before = visit.agent.answers.length
    const [signedIn] = await Promise.allSettled([(async () => options.signIn(visit.agent, visit.person))()])
    // Whoever never signed in is shown nothing, whatever the app is like.
    const refusal = visit.agent.answers.slice(before).find(isRefusal)
    if (refusal !== undefined) throw refused(refusal)
    if (signedIn.status === 'rejected') throw signedIn.reason
    return visit
  }

  async function newestCode(phone: string): Promise<string> {
    const { id, code } = await sandbox.inbox.waitFor(phone, {
      timeoutMs: 5_000,
      after: lastMessage.get(phone),
    })
    lastMessage.set(phone, id)
    ear.codes.add(code)
    return code
  }

  /** Has a code sent, unless the sign-in has done so already. */
  async function challenged(visit: Visit, body: object = {}, mount = path): Promise<Challenged> {
    const asked = Object.keys(body).length > 0
    const live = asked ? undefined : (await visit.agent.get(mount)).json?.challenge
    const started = live ?? (await start(visit, body, mount))
    return { ...visit, challenge: started.id, code: await newestCode(visit.person.phone) }
  }

  async function start({ agent }: Visit, body: object, mount: string): Promise<{ readonly id: string }> {
    const response = await agent.post(`${mount}/start`, body)
    if (response.json?.challenge === undefined) throw refused(response, 'no code was sent')
    return response.json.challenge
  }

  const verify = ({ agent, challenge, code }: Challenged, mount = path) =>
    agent.post(`${mount}/verify`, { code, challenge })

  /** The right code: what was refused without it has to be granted now. */
  async function admitted(asked: Challenged, mount = path): Promise<Challenged> {
    const response = await verify(asked, mount)
    if (response.status !== 200) throw refused(response, 'the right code was not taken')
    return asked
  }

  async function codeGiven(visit: Visit, body: object = {}, mount = path): Promise<Challenged> {
    return admitted(await challenged(visit, body, mount), mount)
  }

  return {
    options,
    path,
    sandbox,
    ear,
    origin: wire.origin,
    agent,
    person,
    newcomer,
    given,
    passwordGiven,
    challenged,
    verify,
    admitted,
    codeGiven,
    ...createPages(pages, agent),
    ...createDeeds({ given: actions, path, nobody: agent, codeGiven }),
    /** Somebody with password and code. */
    signedIn: async (by?: Partial<Visit>) => codeGiven(await passwordGiven(by)),
    /** How many messages have gone to somebody. */
    messagesTo: async ({ phone }: RehearsalPerson) => (await sandbox.inbox.list(phone)).length,
    /** A burst of this many, or as many as the requests allow. */
    many: (most: number, least: number) => Math.max(least, Math.round(most * scale)),
  }
}

/** A page that is not there hinders no sign-in, and what the package says of the code came after the password. */
function isRefusal(answer: RehearsalResponse, index: number, answers: readonly RehearsalResponse[]): boolean {
  const { status, json, headers } = answer
  const isOfPackage = headers['content-type']?.startsWith('application/problem+json')
  if (status < 400 || (isOfPackage && json?.code !== 'not_identified')) return false
  return answer.request.method !== 'GET' || index === answers.length - 1
}

/** One row of the rehearsal: what has to be true, how it is attacked, and what to change when it falls. */
export interface Attack {
  readonly code: string
  readonly claim: string
  readonly fix: string
  readonly docs: string
  /**
   * Carries it out: says what it tries, and resolves with what it saw where it did not succeed. Before that, the same
   * in its allowed form has to have succeeded: what nobody can do holds whatever the app is like.
   */
  run(stage: Stage, tries: (what: string) => void): Promise<string>
}
