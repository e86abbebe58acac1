import { optionError } from '../../../lib/options.js'
import { type Agent, type AgentOptions, createAgent } from './agent.js'
import type { Fields, RehearsalAction, RehearsalOptions, RehearsalPerson } from './contract.js'
import type { Ear } from './ear.js'
import type { HeldSandbox } from './held-sandbox.js'
import { formOf } from './hostile.js'
import { shapeOf } from './shape.js'
import type { RehearsalRequest, RehearsalResponse, Wire } from './wire.js'

/** An attack could not be made. The message says why, and the row that nothing was tried. */
export class NotTried extends Error {}

/** An attack succeeded. The message says what was seen. */
export class Fell extends Error {
  constructor(
    seen: string,
    /** The one to repeat. */
    readonly request?: RehearsalRequest,
    /** What to change, where the row names something else. */
    readonly change?: Pick<Attack, 'fix' | 'docs'>,
  ) {
    super(seen)
  }
}

/** Ends an attack: this response shows the mistake. */
export function fell(response: RehearsalResponse, seen = told(response)): never {
  throw new Fell(seen, response.request)
}

/** One row of the rehearsal: what has to be true, how it is attacked, and what to change when it falls. */
export interface Attack {
  readonly code: string
  readonly claim: string
  readonly fix: string
  readonly docs: string
  /** Carries it out: says what it tries, and resolves with what it saw where it did not succeed. */
  run(stage: Stage, tries: (what: string) => void): Promise<string>
}

/** Somebody in front of a browser. */
export interface Visit {
  readonly agent: Agent
  readonly person: RehearsalPerson
}

/** A visit with a code on its way to the person. */
export interface Challenged extends Visit {
  readonly challenge: string
  readonly code: string
}

/** The app, the people and the phones: what attacks are made of. */
export type Stage = ReturnType<typeof createStage>

export interface StageParts {
  readonly wire: Wire
  readonly sandbox: HeldSandbox
  readonly options: RehearsalOptions
  readonly ear: Ear
  /** How large bursts are, from 0 to 1. */
  readonly scale: number
}

export function createStage({ wire, sandbox, options, ear, scale }: StageParts) {
  const { path = '/two-factor', pages = [], actions: given = [] } = options
  const lastMessage = new Map<string, string>()
  /** What an action looks like when it was done. */
  const doneShapes = new Map<object, string>()
  const numbers = new Set<string>()
  let people = 0

  const agent = (more: AgentOptions = {}) => createAgent(wire, { onResponse: ear.hear, ...more })

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

  /** Somebody who has given a password, if a person signs in with one, and no code yet. */
  async function passwordGiven(by: Partial<Visit> = {}): Promise<Visit> {
    const visit = { agent: by.agent ?? agent(), person: by.person ?? (await person()) }
    await options.signIn(visit.agent, visit.person)
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
    if (response.json?.challenge === undefined) throw new NotTried(`no code was sent: ${told(response)}`)
    return response.json.challenge
  }

  const verify = ({ agent, challenge, code }: Challenged, mount = path) =>
    agent.post(`${mount}/verify`, { code, challenge })

  /** Somebody with password and code. */
  async function signedIn(by?: Partial<Visit>): Promise<Visit> {
    const visit = await challenged(await passwordGiven(by))
    const response = await verify(visit)
    if (response.status !== 200) throw new NotTried(`nobody could sign in: ${told(response)}`)
    return visit
  }

  const fieldsOf = ({ body }: RehearsalAction, { person, agent }: Visit): Fields =>
    (typeof body === 'function' ? body(person, agent) : body) ?? {}

  function requestOf(action: RehearsalAction, whose: Visit, over: Fields = {}): RehearsalRequest {
    const { method = 'POST', path, type = 'json', body } = action
    const fields = { ...fieldsOf(action, whose), ...over }
    if (body === undefined && Object.keys(over).length === 0) return { method, path }
    return { method, path, body: type === 'json' ? fields : formOf(fields) }
  }

  /** Sends an action, or a request like it, and says whether it was done. */
  async function attempt(action: RehearsalAction, visit: Visit, request = requestOf(action, visit)) {
    const shape = doneShapes.get(action)
    // Otherwise what was never seen done would count as held, whatever the app does.
    if (action.done === undefined && shape === undefined) {
      throw new NotTried(
        `"${action.name}" was not done with its code, so that nobody knows what that looks like`,
      )
    }
    const before = await action.done?.(visit.person)
    const response = await visit.agent.send(request)
    const isDone =
      action.done === undefined ? shapeOf(response) === shape : (await action.done(visit.person)) !== before
    return { response, isDone }
  }

  /** Gets the code that an action asks for and types it, so that the action may follow. */
  async function approve(action: RehearsalAction, visit: Visit): Promise<Challenged | undefined> {
    const refused = await visit.agent.send(requestOf(action, visit))
    const { requirement } = refused.json ?? {}
    if (refused.status < 400) return undefined
    if (requirement === undefined) throw new NotTried(`"${action.name}" asked for no code: ${told(refused)}`)
    const asked = await challenged(visit, { requirement })
    const response = await visit.agent.post(`${path}/verify`, { code: asked.code, requirement })
    if (response.status !== 200)
      throw new NotTried(`"${action.name}" could not be approved: ${told(response)}`)
    return asked
  }

  /** The first of the pages that is shown, in place of a refusal or the way to the code page. */
  async function shownPage(agent: Agent): Promise<RehearsalResponse | undefined> {
    for (const page of pages) {
      const response = await agent.get(page)
      if (response.status >= 200 && response.status < 300) return response
    }
    return undefined
  }

  function actions(which: (action: RehearsalAction) => boolean = () => true): readonly RehearsalAction[] {
    const found = given.filter(which)
    if (found.length === 0) throw new NotTried('no `actions` of this kind were given')
    return found
  }

  /** How many codes for somebody reached the provider. */
  async function checksOf({ phone }: RehearsalPerson): Promise<number> {
    const digits = phone.replaceAll(/\D/g, '')
    return (await sandbox.requests.list('verifyCode')).filter(({ fields }) => fields.phone === digits).length
  }

  return {
    ...{ options, path, pages, sandbox, ear, origin: wire.origin, agent, person, passwordGiven, challenged },
    ...{ verify, signedIn, fieldsOf, requestOf, checksOf, attempt, approve, shownPage, actions },
    /** How many messages have gone to somebody. */
    messagesTo: async ({ phone }: RehearsalPerson) => (await sandbox.inbox.list(phone)).length,
    /** A burst of this many, or as many as the requests allow. */
    many: (most: number, least: number) => Math.max(least, Math.round(most * scale)),
    /** Remembers what it looks like when this was done. */
    rememberDone: (action: RehearsalAction, response: RehearsalResponse) =>
      void doneShapes.set(action, shapeOf(response)),
  }
}

/** A response in a few words. */
export function told({ request: { method, path }, status, json }: RehearsalResponse): string {
  const code = typeof json?.code === 'string' ? ` ${json.code}` : ''
  return `${method} ${path.split('?')[0]} answered ${status}${code}`
}
