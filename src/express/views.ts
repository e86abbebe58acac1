import type { Request } from 'express'
import type { Actor, Challenges } from '../challenge/commands.js'
import type { Purposes } from '../challenge/purposes.js'
import type { ProblemCode } from '../errors.js'
import type { Exchange } from './exchange.js'
import { pageUrl } from './pages/page-url.js'
import type { PageView } from './pages/page-view.js'
import type { Problem } from './problems.js'
import { invalid } from './request-body.js'
import { type Demands, pathIn, type Requirement } from './requirement.js'
import { safePath } from './return-path.js'

/** What the pages of one lane show, and where its forms lead. */
export interface Views {
  /** The page for this request: with the live challenge when there is one. */
  of(exchange: Exchange, problem?: Problem): Promise<PageView>
  /** Where it goes on. Asked before the session is renewed: requirements end with the old id. */
  paths(exchange: Exchange): Paths
}

export interface Paths {
  /**
   * The page, with what ties it to the refused request. Its requirement is a new one, which outlives the code
   * that is sent now: a code in its place is then for the same bound fields.
   */
  readonly page: string
  /** Where success leads. */
  readonly back: string
}

export interface ViewParts {
  readonly lane: 'auth' | 'enrol'
  readonly basePathOf: (req: Request) => string
  readonly actor: (req: Request) => Promise<Actor | undefined>
  readonly find: Challenges['find']
  readonly purposes: Purposes
  readonly defaultPurpose: string
  /** In the auth lane alone. */
  readonly demands?: Demands
  readonly offersTrust: (purpose: string, demand: Requirement | undefined) => boolean
  readonly codePattern: RegExp
  readonly countries: readonly string[]
  readonly attemptsPerChallenge: number
  readonly now: () => number
}

/** After these nobody is known well enough to be shown anything of theirs. */
const strange: ReadonlySet<ProblemCode> = new Set(['not_identified', 'cross_site', 'session_unavailable'])

export function createViews(parts: ViewParts): Views {
  const { lane, basePathOf, purposes, now } = parts
  const lettersInCode = takesLetters(parts.codePattern)

  /** What a form or link brings along from the page before. */
  function carried({ req, fields }: Exchange, problem?: Problem) {
    const token = problem && strange.has(problem.code) ? undefined : oneText(fields, 'requirement')
    const demand = token === undefined ? undefined : parts.demands?.read(req, token)
    const purpose = purposes.find(oneText(fields, 'purpose') ?? '')?.name
    const spent = token !== undefined && demand === undefined
    const returnTo = safePath(oneText(fields, 'returnTo')) ?? (spent ? safePath(pathIn(token)) : undefined)
    return {
      demand,
      spent,
      requirement: demand && token,
      returnTo: demand?.returnTo ?? returnTo,
      purpose: demand?.purpose ?? purpose,
    }
  }

  async function liveChallenge(exchange: Exchange, problem: Problem | undefined) {
    if (problem && (strange.has(problem.code) || problem.code === 'store_unavailable')) return undefined
    try {
      const actor = await parts.actor(exchange.req)
      // A code for anything but the demand would be typed for nothing.
      return actor && (await parts.find(actor, carried(exchange, problem).demand))
    } catch (error) {
      // The problem that is being told came first.
      if (problem === undefined) throw error
      return undefined
    }
  }

  return {
    async of(exchange, problem) {
      const live = await liveChallenge(exchange, problem)
      const { demand, spent, requirement, returnTo, purpose } = carried(exchange, problem)
      if (spent && problem === undefined) throw invalid('requirement is not valid here, or not any more.')
      // A page that is asked for by it is refused; a code that is posted is told about, whatever came along.
      const challenge = spent && exchange.req.method !== 'POST' ? undefined : live
      const settled = purposes.find(challenge?.purpose ?? purpose ?? parts.defaultPurpose)
      const typedPhone = lane === 'enrol' ? oneText(exchange.fields, 'phone') : undefined
      const typedCountry = lane === 'enrol' ? oneText(exchange.fields, 'country') : undefined
      return {
        page: challenge !== undefined ? 'code' : spent ? 'problem' : lane === 'auth' ? 'start' : 'phone',
        basePath: basePathOf(exchange.req),
        challenge,
        problem,
        requirement,
        returnTo,
        purpose: settled?.name,
        spent,
        channels: settled?.channels ?? [],
        attemptsPerChallenge: parts.attemptsPerChallenge,
        offerTrust: settled !== undefined && parts.offersTrust(settled.name, demand),
        lettersInCode,
        changeableNumber: lane === 'enrol',
        typedPhone,
        typedCountry,
        countries: parts.countries,
        now: now(),
      }
    },

    paths(exchange) {
      const { req } = exchange
      const { demand, purpose, returnTo } = carried(exchange)
      const requirement = demand && parts.demands?.issue(req, demand)
      return {
        page: pageUrl(basePathOf(req), { requirement, purpose, returnTo }),
        back: returnTo ?? '/',
      }
    },
  }
}

function oneText(from: Readonly<Record<string, unknown>>, name: string): string | undefined {
  const value = Object.hasOwn(from, name) ? from[name] : undefined
  return typeof value === 'string' && value !== '' ? value : undefined
}

/** Whether a code may hold letters: phones then show their whole keyboard. */
function takesLetters(pattern: RegExp): boolean {
  const lengths = Array.from({ length: 12 }, (_, index) => index + 1)
  return lengths.some((length) => pattern.test('A'.repeat(length)) || pattern.test('a'.repeat(length)))
}
