import type { Request } from 'express'
import type { Actor, Challenges, ChallengeView, Outlook, Shown } from '../../challenge/commands.js'
import type { ProblemCode } from '../../errors.js'
import { nationalForm } from '../../phone-number.js'
import type { FindProven, Proven } from '../flows/proven.js'
import type { Problem } from '../http/problems.js'
import type { RequestContext } from '../http/request-body.js'

interface TypedNumber {
  readonly phone: string
  readonly country?: string | undefined
  readonly national: string
}

/** What a page depends on besides its request. */
export interface Found {
  readonly live?: ChallengeView | undefined
  readonly outlook?: Outlook | undefined
  readonly proven?: Proven | undefined
  /** At a signup: the number that this session wants to prove, as typed, and as people in its country write it. */
  readonly typed?: TypedNumber | undefined
}

export interface LookUpParts {
  readonly actor: (req: Request) => Promise<Actor | undefined>
  readonly find: Challenges['find']
  readonly preview: Challenges['preview']
  readonly findProven: FindProven
  /** Whether a person is shown the response, as a page or in a dialog. */
  readonly wantsScreen: (req: Request) => boolean
  readonly defaultPurpose: string
}

/** What a page is asked for. */
export interface Wanted extends Shown {
  /** The requirement that came along is worth nothing any more. */
  readonly spent: boolean
}

/** After these nobody is known well enough to be shown anything of theirs. */
export const unidentified: ReadonlySet<ProblemCode> = new Set([
  'not_identified',
  'cross_site',
  'session_unavailable',
])

/** Looks up the person's challenge, or what stands in its place, as far as the problem that is told leaves it open. */
export function createLookUp(parts: LookUpParts) {
  const { find, preview, findProven, wantsScreen, defaultPurpose } = parts

  async function lookUp(
    context: RequestContext,
    { spent, challenge, purpose, bound }: Wanted,
    problem: Problem | undefined,
  ): Promise<Found> {
    const { req } = context
    const actor = await parts.actor(req)
    // JSON tells nothing but the challenge.
    const isShown = problem !== undefined || wantsScreen(req)
    const shown = { challenge, purpose: purpose ?? defaultPurpose, bound }
    // Together: over a network store they cost one round trip.
    const [live, outlook, typed] = await Promise.all([
      // Shown is signed: a page that is for one thing must not take the code for another.
      actor && find(actor, isShown || purpose !== undefined ? shown : undefined),
      actor && isShown ? preview({ ...actor, purpose: shown.purpose, bound }) : undefined,
      actor?.lane === 'enrol' && isShown ? typedBy(actor) : undefined,
    ])
    if (live !== undefined || !wantsScreen(req) || !mayBeProven(problem, spent))
      return { live, outlook, typed }
    return { outlook, typed, proven: await findProven(context, outlook?.untypedSince ?? 0) }
  }

  return async (context: RequestContext, wanted: Wanted, problem?: Problem): Promise<Found> => {
    // The store has just been waited for in vain, or this session has too many requests that wait already.
    if (problem?.code === 'store_unavailable' || problem?.code === 'capacity') return {}
    if (problem && unidentified.has(problem.code)) return {}
    return lookUp(context, wanted, problem).catch((error: unknown) => {
      // The problem that is being told came first.
      if (problem === undefined) throw error
      return {}
    })
  }
}

/** Success in another tab ends the challenge, and the session that requirements were sealed for. */
function mayBeProven(problem: Problem | undefined, spent: boolean): boolean {
  if (problem === undefined || problem.code === 'challenge_gone') return true
  return spent && problem.code === 'invalid_request'
}

async function typedBy({ phone, country }: Actor): Promise<TypedNumber> {
  const national = await nationalForm(phone, country)
  return { phone, country, national }
}
