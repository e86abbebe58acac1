import type { Fields, RehearsalAction, RehearsalPath, RehearsalPerson } from './contract.js'
import { stepsUp } from './effects.js'
import { isShown, lastingPart, namesOf, type Sight, unlike, withNames, withoutKnown } from './pages.js'
import { hasOwnPath, pathFor, requestOf, requestWith } from './requests.js'
import { isThousandth } from './snapshot.js'
import type { Stage } from './stage.js'
import { fell, mustBeJudged, NotTried, told } from './verdicts.js'
import type { Visit } from './visit.js'
import type { RehearsalRequest } from './wire.js'

/** The request of a requester, of which variants are made. */
export interface Material {
  readonly request: RehearsalRequest
  readonly fields: Fields
  /** Names of the owner, which a requester may claim. */
  readonly names: readonly string[]
}

/** A requester who may not do an action or see a page, ready to send. */
export interface Attempt {
  /** True for a page that the requester also has: only a name in the request may show the owner's. */
  readonly needsName?: boolean
  /**
   * Sends the requests that `make` returns, and ends the attack at the first that succeeded. Returns their number.
   * `mistake` is for a target without any protection.
   */
  readonly tryAll: (
    make: (material: Material) => readonly RehearsalRequest[],
    mistake?: string,
  ) => Promise<number>
}

/** An action or a page, and all requesters without permission for it. */
export interface Target {
  readonly name: string
  readonly kind: 'actions' | 'pages'
  readonly attempts: () => Promise<readonly Attempt[]>
  /** Sends the request as it is, once for each requester. */
  readonly plain: () => Promise<void>
}

/** `visit` sends; the action is for `owner`. */
interface Ready {
  readonly visit: Visit
  readonly owner: RehearsalPerson
}

interface Requester {
  readonly who: string
  readonly prepare: () => Promise<Ready>
}

const anotherAccount = 'another account'

/** Returns the fix for a target without any protection (`mistake`) against a requester. */
const fixFor = (who: string, mistake: string | undefined): string | undefined =>
  who === anotherAccount && mistake !== undefined
    ? 'read the account from the session, or compare the owner that the path or the body names with its user; a guard does not compare them'
    : undefined

/** Longer than the second that a clock on a page shows. */
const controlMs = 1_100

const known = new WeakMap<Stage, readonly Target[]>()

/** Returns the targets of the attacks without a code. Their people sign in once for all rows. */
export function targetsOf(stage: Stage): readonly Target[] {
  const { actions = [], pages = [] } = stage.options
  const targets = known.get(stage) ?? [
    ...actions.map((action) => createTarget(action.name, 'actions', () => attemptsOnAction(stage, action))),
    ...pages.map((path) =>
      createTarget(typeof path === 'string' ? path : 'a page of a person', 'pages', () =>
        attemptsOnPage(stage, path),
      ),
    ),
  ]
  known.set(stage, targets)
  return targets
}

function createTarget(name: string, kind: Target['kind'], make: Target['attempts']): Target {
  const attempts = once(make)
  const plain = once(async () => {
    for (const { tryAll } of await attempts()) await tryAll(({ request }) => [request], name)
  })
  return { name, kind, attempts, plain }
}

function once<Value>(make: () => Promise<Value>): () => Promise<Value> {
  let made: Promise<Value> | undefined
  return () => {
    made ??= make()
    return made
  }
}

/** Returns the requesters who may not do this action yet. */
function requestersOf(stage: Stage, action: RehearsalAction): readonly Requester[] {
  const { effects } = stage
  async function somebody(): Promise<RehearsalPerson> {
    const person = await stage.person()
    // The witness of the state signs in first: an app may end its session at the next sign-in with a code, but not at a
    // password.
    await effects.watch(action, person)
    return person
  }
  const nearest = async () => {
    const visit = await stage.signedIn()
    effects.adopt(visit)
    const { purpose } = await effects.knownOf(action)
    for (const other of (stage.options.actions ?? []).filter((one) => one !== action && stepsUp(one))) {
      const known = await effects.knownOf(other).catch(() => undefined)
      if (known?.purpose === undefined || known.purpose === purpose) continue
      await effects.approve(visit, await requestOf(other, visit))
      break
    }
    return { visit, owner: visit.person }
  }
  return [
    {
      who: 'an anonymous visitor',
      prepare: async () => {
        const owner = await somebody()
        return { visit: { agent: stage.agent(), person: owner }, owner }
      },
    },
    {
      who: 'a person with a password only',
      prepare: async () => {
        const owner = await somebody()
        return { visit: await stage.passwordGiven({ person: owner }), owner }
      },
    },
    ...(hasOwnPath(action)
      ? [
          {
            who: anotherAccount,
            prepare: async () => ({ owner: await somebody(), visit: await stage.signedIn() }),
          },
        ]
      : []),
    ...(stepsUp(action) ? [{ who: 'a person without a code for it', prepare: nearest }] : []),
  ]
}

async function attemptsOnAction(stage: Stage, action: RehearsalAction): Promise<readonly Attempt[]> {
  const { effects } = stage
  const { effect } = await effects.knownOf(action)
  const attempts: Attempt[] = []
  for (const { who, prepare } of requestersOf(stage, action)) {
    /** Calls `body` for each requester, because it may prepare the action in their session. */
    const materialOf = async ({ visit, owner }: Ready): Promise<Material> => {
      const fields = await effects.fieldsFor(action, { agent: visit.agent, person: owner })
      return { fields, names: namesOf(owner), request: requestWith(action, owner, fields) }
    }
    let ready = await prepare()
    let material = await materialOf(ready)

    /** The state is read once for all. If it changed, another person repeats them, to find the one that did it. */
    async function tryAll(make: (material: Material) => readonly RehearsalRequest[], mistake?: string) {
      const changed = await effects.watch(action, ready.owner)
      const variants = make(material)
      for (const variant of variants) mustBeJudged(await ready.visit.agent.send(variant))
      if (!(await changed()).isDone) return variants.length
      ready = await prepare()
      material = await materialOf(ready)
      let isSmall = false
      for (const variant of make(material)) {
        const began = performance.now()
        const { response, isDone, change } = await effects.attempt(action, ready.visit, variant, ready.owner)
        if (isThousandth(change, effect)) {
          // A small amount may need no code.
          isSmall = true
        } else if (isDone) {
          await mustRest(performance.now() - began)
          const seen = `${told(response)} and did "${action.name}" for ${who}`
          fell(response, seen, mistake, fixFor(who, mistake))
        }
      }
      if (isSmall) return variants.length
      throw new NotTried(
        `the state of "${action.name}" changes without it: name a \`state\` that only it changes`,
      )
    }

    /** Ends the row if the state changes without a request, because then it proves nothing. */
    async function mustRest(ms: number): Promise<void> {
      const changed = await effects.watch(action, ready.owner)
      await new Promise((resolve) => setTimeout(resolve, Math.max(ms, controlMs)))
      if ((await changed()).isDone) {
        throw new NotTried(
          `the state of "${action.name}" changes by itself: name a \`state\` that only it changes`,
        )
      }
    }

    attempts.push({ tryAll })
  }
  return attempts
}

async function attemptsOnPage(stage: Stage, path: RehearsalPath): Promise<readonly Attempt[]> {
  const owner = await stage.signedIn()
  const sight = await stage.sightOf(path, owner)
  const { person } = owner
  const request = { method: 'GET', path: pathFor(path, person) }
  const another = await stage.signedIn()
  async function attempt(who: string, visit: Visit, base: Sight): Promise<Attempt> {
    const { agent } = visit
    const seen = await Promise.all([agent.get('/'), agent.get('/nowhere')])
    const open = [agent.get(request.path), agent.get(request.path, { accept: 'text/html' })]
    const shows = withoutKnown(withNames(base, person, another.person, seen, await Promise.all(open)), seen)
    async function tryAll(make: (material: Material) => readonly RehearsalRequest[], mistake?: string) {
      const variants = make({ request, fields: {}, names: namesOf(person) })
      const deeds = variants.some(({ method }) => method !== 'GET') ? await watchAll(stage, person) : []
      for (const variant of variants) {
        const response = mustBeJudged(await visit.agent.send(variant))
        if (isShown(response, shows) && isShown(response, await lastingPart(owner.agent, shows))) {
          fell(response, `${told(response)} and showed it to ${who}`, mistake, fixFor(who, mistake))
        }
        if (/^(GET|HEAD|OPTIONS)$/.test(variant.method)) continue
        for (const { name, changed } of deeds) {
          if ((await changed()).isDone) fell(response, `${told(response)} and did "${name}" for ${who}`)
        }
      }
      return variants.length
    }
    return { tryAll }
  }
  const attempts = [
    await attempt('an anonymous visitor', { agent: stage.agent(), person }, sight),
    await attempt('a person with a password only', await stage.passwordGiven({ person }), sight),
  ]
  const own = unlike(sight, await stage.sightOf(path, another))
  if (own.marks.size === 0) return attempts
  return [
    ...attempts,
    { ...(await attempt(anotherAccount, another, own)), needsName: typeof path === 'string' },
  ]
}

/** Watches whether any action is done for a person. An action that could not be done has its own row. */
async function watchAll({ effects, options: { actions = [] } }: Stage, person: RehearsalPerson) {
  const watches = actions.map(async (action) => {
    await effects.knownOf(action)
    return { name: action.name, changed: await effects.watch(action, person) }
  })
  const settled = await Promise.allSettled(watches)
  return settled.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
}
