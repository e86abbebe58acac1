import type { Router } from 'express'
import type { OwnAct, RouteContext, RouteResult, TwoFactor } from '../index.js'
import { type AccountChangeRequest, type Factors, type Objection, objectionToLoss } from './changes.js'
import { type Confirmation, createMaking } from './making.js'
import type { PageContext } from './marks.js'
import { newsAbout, newsIn, newsOf } from './news.js'
import type { AccountSettings } from './options.js'
import { adviceFor, listed, type Overview, overviewPage, riskOf } from './overview-page.js'
import { createReadUses } from './read-factors.js'

/** Undefined where the response was sent already, as by a guard that asks for a code. */
export type AccountResult = RouteResult | undefined

/** A refusal as JSON, in the form of the other problems of the package (RFC 9457). */
export const problemBody = (code: string, title: string, detail = title, status = 409): object => ({
  type: `urn:express-two-factor:${code}`,
  title,
  status,
  detail,
  code,
})

/** How a change is made, where not as usual. */
interface How extends Confirmation {
  /** What is shown after it, in place of the first page. */
  readonly show?: (() => RouteResult) | undefined
}

/** What all routes of the pages share. */
export type RouteKit = ReturnType<typeof createRouteKit>

/** How a route is added, a change made and replied to: the same for numbers, app, recovery codes and browsers. */
export function createRouteKit(router: Router, tf: TwoFactor, settings: AccountSettings) {
  const { path, recoveryCodes, mustKeep } = settings
  const { textsOf, read, make, isConfirmed, isFirst, hasGrant } = createMaking(tf, settings)
  const readUses = createReadUses(settings)

  const sceneOf = (visit: RouteContext): PageContext => ({
    visit,
    path: visit.prefix + path,
    texts: textsOf(visit.locale),
  })

  /** The first page, and the same as JSON. */
  async function overview(visit: RouteContext): Promise<RouteResult> {
    const { req, subject, fields, session } = visit
    const [factors, usedAt, devices] = await Promise.all([
      read(subject),
      readUses(subject),
      tf.trustedDevices.list(subject, req),
    ])
    const body: Overview = {
      ...factors,
      numbers: listed(factors.numbers, usedAt),
      appUsedAt: usedAt('app'),
      devices,
      canRemove: objectionToLoss(factors, mustKeep) === undefined,
      advice: adviceFor(factors),
      risk: riskOf(factors),
    }
    return { ...overviewPage(sceneOf(visit), body, newsIn(fields.changed, session)), body }
  }

  /** Nothing was changed: why, and how it is now. */
  async function refusal(visit: RouteContext, code: Objection): Promise<RouteResult> {
    const problem = textsOf(visit.locale)[`problem.${code}`]
    // The title is for programs, in English like those of all problems.
    const body = problemBody(code, 'Nothing was changed', problem)
    return { ...(await overview(visit)), problem, status: 409, address: path, body }
  }

  /** Makes one change, and says what became of it. `store` as `make` has it. */
  async function change(
    visit: RouteContext,
    what: AccountChangeRequest,
    store: (factors: Factors) => unknown,
    { show, ...confirmation }: How = {},
  ): Promise<AccountResult> {
    const made = await make(visit, what, store, confirmation)
    if (made === undefined) return undefined
    if (made === 'unasked') return alreadySo
    if (made !== 'made' && made !== 'made-first') return refusal(visit, made)
    if (show !== undefined) return show()
    // Whoever has set up the first way is led on to recovery codes.
    const next = made === 'made-first' && recoveryCodes ? `${path}/recovery-codes` : path
    return {
      location: `${next}?changed=${newsOf(newsAbout(what), visit.session)}`,
      body: { changed: what.kind },
    }
  }

  /** It is so already: nobody is asked for a code, and nothing was changed. */
  const alreadySo: RouteResult = { location: path, body: {} }

  return {
    router,
    tf,
    settings,
    path,
    read,
    isConfirmed,
    isFirst,
    hasGrant,
    sceneOf,
    overview,
    refusal,
    change,
    alreadySo,
    get: (route: string, act: OwnAct) => void router.get(route, tf.ownRoute('GET', act)),
    post: (route: string, act: OwnAct) => void router.post(route, tf.ownRoute('POST', act)),
    /** A form that makes a change, and the address that the right code for it leads to. */
    changes: (route: string, act: OwnAct) => {
      router.post(route, tf.ownRoute('POST', act))
      router.get(route, tf.ownRoute('GET', act))
    },
  }
}
