import type { Sandbox } from '../../sandbox/index.js'
import { type Agent, type AgentOptions, createAgent } from './agent.js'
import type { Fields, RehearsalAction, RehearsalOptions, RehearsalPerson } from './contract.js'
import { shapeOf } from './shape.js'
import type { RehearsalRequest, RehearsalResponse, Wire } from './wire.js'

/** An attack could not be made. The message says why, and the row that nothing was tried. */
export class NotTried extends Error {}

/** What an attack came to, before it is a row. */
export interface Attempted {
  readonly tried: string
  readonly seen: string
  readonly fell: boolean
  /** The one to repeat. */
  readonly request?: RehearsalRequest
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
  readonly sandbox: Sandbox
  readonly options: RehearsalOptions
  /** Where the routes are mounted. */
  readonly path: string
  /** How large bursts are, from 0 to 1. */
  readonly scale: number
  readonly onResponse: (response: RehearsalResponse) => void
  readonly onCode: (code: string) => void
}

export function createStage({ wire, sandbox, options, path, scale, onResponse, onCode }: StageParts) {
  const lastMessage = new Map<string, string>()
  /** What an action looks like when it was done. */
  const doneShapes = new Map<object, string>()
  let people = 0

  const agent = (more: AgentOptions = {}) => createAgent(wire, { onResponse, ...more })

  async function person(): Promise<RehearsalPerson> {
    people += 1
    return options.person(people)
  }

  /** Somebody who has given a password, if a person signs in with one, and no code yet. */
  async function passwordGiven(given?: Partial<Visit>): Promise<Visit> {
    const visit = { agent: given?.agent ?? agent(), person: given?.person ?? (await person()) }
    await options.signIn(visit.agent, visit.person)
    return visit
  }

  async function newestCode(phone: string): Promise<string> {
    const after = lastMessage.get(phone)
    const wait = { timeoutMs: 5_000, ...(after !== undefined && { after }) }
    const { id, code } = await sandbox.inbox.waitFor(phone, wait)
    lastMessage.set(phone, id)
    onCode(code)
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
  async function signedIn(given?: Partial<Visit>): Promise<Visit> {
    const visit = await challenged(await passwordGiven(given))
    const response = await verify(visit)
    if (response.status !== 200) throw new NotTried(`nobody could sign in: ${told(response)}`)
    return visit
  }

  const fieldsOf = ({ body }: RehearsalAction, whose: RehearsalPerson): Fields =>
    (typeof body === 'function' ? body(whose) : body) ?? {}

  function requestOf(action: RehearsalAction, whose: RehearsalPerson, over: Fields = {}): RehearsalRequest {
    const { method = 'POST', path, type = 'json', body } = action
    const fields = { ...fieldsOf(action, whose), ...over }
    if (body === undefined && Object.keys(over).length === 0) return { method, path }
    return { method, path, body: type === 'json' ? fields : formOf(fields) }
  }

  /** Sends an action, or a request like it, and says whether it was done. */
  async function attempt(action: RehearsalAction, { agent, person }: Visit, request?: RehearsalRequest) {
    const shape = doneShapes.get(action)
    // Otherwise what was never seen done would count as held, whatever the app does.
    if (action.done === undefined && shape === undefined) {
      throw new NotTried(
        `"${action.name}" was not done with its code, so that nobody knows what that looks like`,
      )
    }
    const before = await action.done?.(person)
    const response = await agent.send(request ?? requestOf(action, person))
    const isDone =
      action.done === undefined ? shapeOf(response) === shape : (await action.done(person)) !== before
    return { response, isDone }
  }

  /** Gets the code that an action asks for and types it, so that the action may follow. */
  async function approve(action: RehearsalAction, visit: Visit): Promise<Challenged | undefined> {
    const refused = await visit.agent.send(requestOf(action, visit.person))
    const { requirement } = refused.json ?? {}
    if (refused.status < 400) return undefined
    if (requirement === undefined) throw new NotTried(`"${action.name}" asked for no code: ${told(refused)}`)
    const asked = await challenged(visit, { requirement })
    const response = await visit.agent.post(`${path}/verify`, { code: asked.code, requirement })
    if (response.status !== 200)
      throw new NotTried(`"${action.name}" could not be approved: ${told(response)}`)
    return asked
  }

  /** Whether a page is shown, in place of a refusal or the way to the code page. */
  async function opens(
    { agent }: Pick<Visit, 'agent'>,
    page: string,
  ): Promise<RehearsalResponse | undefined> {
    const response = await agent.get(page)
    return response.status >= 200 && response.status < 300 ? response : undefined
  }

  /** The first of the pages that is shown. */
  async function opensAny(visit: Pick<Visit, 'agent'>): Promise<RehearsalResponse | undefined> {
    for (const page of pages()) {
      const shown = await opens(visit, page)
      if (shown !== undefined) return shown
    }
    return undefined
  }

  function pages(): readonly string[] {
    const { pages: given = [] } = options
    if (given.length === 0) throw new NotTried('no `pages` were given')
    return given
  }

  function actions(which: (action: RehearsalAction) => boolean = () => true): readonly RehearsalAction[] {
    const found = (options.actions ?? []).filter(which)
    if (found.length === 0) throw new NotTried('no `actions` of this kind were given')
    return found
  }

  /** How many codes for somebody reached the provider. */
  function checksOf({ phone }: RehearsalPerson): number {
    const digits = phone.replaceAll(/\D/g, '')
    return sandbox.requests.list('verifyCode').filter(({ fields }) => fields.phone === digits).length
  }

  return {
    ...{ options, path, sandbox, origin: wire.origin, agent, person, passwordGiven, challenged, newestCode },
    ...{ verify, signedIn, fieldsOf, requestOf, checksOf, attempt, approve, opens, opensAny, pages, actions },
    /** A burst of this many, or as many as the requests allow. */
    many: (most: number, least: number) => Math.max(least, Math.round(most * scale)),
    /** Remembers what it looks like when this was done. */
    rememberDone: (action: RehearsalAction, response: RehearsalResponse) =>
      void doneShapes.set(action, shapeOf(response)),
  }
}

export function formOf(fields: Fields): URLSearchParams {
  return new URLSearchParams(
    Object.entries(fields).map(([name, value]): [string, string] => [name, String(value)]),
  )
}

/** A response in a few words. */
export function told({ request: { method, path }, status, json }: RehearsalResponse): string {
  const code = typeof json?.code === 'string' ? ` ${json.code}` : ''
  return `${method} ${path.split('?')[0]} answered ${status}${code}`
}
