import { optionError } from '../../../lib/options.js'
import { type AgentOptions, createAgent } from './agent.js'
import type { RehearsalOptions, RehearsalPart, RehearsalPerson, RehearsalRequestOf } from './contract.js'
import { codeOf } from './diagnosis.js'
import type { Ear } from './ear.js'
import { createEffects } from './effects.js'
import type { HeldSandbox } from './held-sandbox.js'
import { createPages } from './pages.js'
import { fieldsAgain, fieldsOf, requestWith, requirementIn } from './requests.js'
import type { RouteTable } from './routes.js'
import { lacking, NotTried, refused } from './verdicts.js'
import type { Challenged, Visit } from './visit.js'
import type { RehearsalResponse, Wire } from './wire.js'

const howToFollow =
  'if an action changes the number, let `person` return an object whose `phone` is always the current number, such as the record of your database, or leave the action out'

/** The app, the people and the phones: the material of attacks. */
export type Stage = ReturnType<typeof createStage>

export interface StageParts {
  readonly wire: Wire
  readonly sandbox: HeldSandbox
  /** Ids of the messages of before, newest first: a long-running sandbox knows people of earlier rehearsals. */
  readonly earlier: readonly string[]
  readonly options: RehearsalOptions
  readonly ear: Ear
  readonly routes: RouteTable | undefined
  /** Size of bursts: 1 is full size; 0 or less is the minimum. */
  readonly scale: number
}

export function createStage({ wire, sandbox, earlier, options, ear, routes, scale }: StageParts) {
  const { path = '/two-factor', pages = [], state, own = [], all = false } = options
  const lastMessage = new Map<string, string>()
  let people = 0
  let newcomers = 0
  let isOver = false

  const agent = (more: Pick<AgentOptions, 'alter'> = {}) =>
    createAgent(wire, { onResponse: (response, answers) => ear.hear(path, response, answers), ...more })

  async function person(): Promise<RehearsalPerson> {
    people += 1
    const somebody = await options.person(people)
    // Two people with one number would share its limits.
    if (ear.numbers.has(somebody.phone)) {
      throw optionError(
        'rehearse: person returned a number twice; each person needs their own account and number',
      )
    }
    ear.numbers.add(somebody.phone)
    return somebody
  }

  /** Returns a person without an account. */
  async function newcomer(): Promise<Visit> {
    newcomers += 1
    return { agent: agent(), person: await given('signUp').newcomer(newcomers) }
  }

  /** Returns the part of the plan that a row needs. */
  function given<Name extends 'signOut' | 'changePassword' | 'signUp' | 'account'>(name: Name) {
    const value = options[name]
    if (value === undefined) throw lacking(name)
    return value as NonNullable<RehearsalOptions[Name]>
  }

  /** Ends a row about a part that the app does not replace: the package's own tests attack it. */
  function mustBring(part: RehearsalPart): void {
    if (!all && !own.includes(part)) {
      throw new NotTried(`the ${part} is part of the package: set own: ['${part}'], or all: true`, {
        lacks: `own: ${part}`,
      })
    }
  }

  /** Returns a person who has entered a password, if the sign-in needs one, and no code yet. */
  async function passwordGiven(by: Partial<Visit> = {}): Promise<Visit> {
    const visit = { agent: by.agent ?? agent(), person: by.person ?? (await person()) }
    const before = visit.agent.answers.length
    const [signedIn] = await Promise.allSettled([(async () => options.signIn(visit.agent, visit.person))()])
    const answers = visit.agent.answers.slice(before)
    for (const { request } of answers) routes?.exempt(request)
    // Without a sign-in, no app shows a page.
    const refusal = answers.find(isRefusal)
    if (refusal !== undefined) throw refused(refusal)
    if (signedIn.status === 'rejected') throw signedIn.reason
    return visit
  }

  async function newestCode(phone: string): Promise<string> {
    const options = { timeoutMs: 5_000, after: lastMessage.get(phone) ?? earlier[0] }
    const { id, code } = await sandbox.inbox.waitFor(phone, options).catch((error) => {
      // The first code shows whether the app uses this sandbox.
      if (ear.codes.size === 0) throw error
      throw new NotTried(`no code reached ${phone}: ${howToFollow}`)
    })
    lastMessage.set(phone, id)
    ear.codes.add(code)
    return code
  }

  /** Requests a code, unless the sign-in already has. */
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

  /** Enters the correct code. `onVerified` may respond with its own redirect. */
  async function admitted(asked: Challenged, mount = path): Promise<Challenged> {
    const response = await verify(asked, mount)
    if (response.status >= 400) throw refused(response, 'the correct code was refused')
    return asked
  }

  async function codeGiven(visit: Visit, body: object = {}, mount = path): Promise<Challenged> {
    return admitted(await challenged(visit, body, mount), mount)
  }

  const signedIn = async (by?: Partial<Visit>): Promise<Visit> => codeGiven(await passwordGiven(by))

  /** Sends a request that ends or changes sessions, with a code if the app requires one. */
  async function carryOut(request: RehearsalRequestOf, visit: Visit): Promise<RehearsalResponse> {
    const fields = await fieldsOf(request, visit)
    const sent = requestWith(request, visit.person, fields)
    routes?.exempt(sent)
    const response = await visit.agent.send(sent)
    const requirement = requirementIn(response)
    if (requirement === undefined) return response
    await codeGiven(visit, { requirement })
    return visit.agent.send(requestWith(request, visit.person, await fieldsAgain(request, visit, fields)))
  }

  return {
    options,
    path,
    sandbox,
    ear,
    routes,
    origin: wire.origin,
    agent,
    person,
    newcomer,
    given,
    mustBring,
    passwordGiven,
    challenged,
    verify,
    admitted,
    codeGiven,
    signedIn,
    carryOut,
    ...createPages(pages, agent),
    effects: createEffects({
      state,
      signedIn,
      codeGiven,
      onAction: (request) => routes?.attack(request),
      isUnparsed: () => ear.warnings.has('TWO_FACTOR_NOT_PARSED'),
    }),
    /** Returns whether requests or time are used up. */
    isOver: () => isOver,
    end(): void {
      isOver = true
    },
    /** Returns how many messages a person has received. */
    async messagesTo({ phone }: RehearsalPerson): Promise<number> {
      return (await sandbox.inbox.list(phone)).filter(({ id }) => !earlier.includes(id)).length
    },
    /** Returns the size of a burst, as far as the request limit permits. */
    many: (most: number, least: number) => Math.max(least, Math.round(most * scale)),
  }
}

/**
 * Returns whether a response refuses the sign-in. A missing page does not prevent a sign-in, and problems of the
 * package come after the password.
 */
function isRefusal(answer: RehearsalResponse, index: number, answers: readonly RehearsalResponse[]): boolean {
  const code = codeOf(answer)
  if (answer.status < 400 || (code !== undefined && code !== 'not_identified')) return false
  return answer.request.method !== 'GET' || index === answers.length - 1
}

/** One row of the rehearsal: a sentence that must be true, its attack, and the fix. */
export interface Attack {
  readonly code: string
  readonly claim: string
  readonly fix: string
  readonly docs: string
  /**
   * Runs the attack: reports its requests by `tries`, and resolves with the behaviour of an app that held. The allowed
   * request must also succeed: an app that refuses everyone proves nothing.
   */
  run(stage: Stage, tries: (what: string) => void): Promise<string>
}
