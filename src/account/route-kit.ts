import type { Router } from 'express'
import type { OwnAct, RouteContext, RouteResult, TwoFactor } from '../index.js'
import { type AccountChangeRequest, type Factors, type Objection, objectionToLoss } from './changes.js'
import { createGuardWarning } from './guard-warning.js'
import { type Confirmation, createMaking } from './making.js'
import { type PageContext, returnPath } from './marks.js'
import { newsAbout, newsIn, newsOf } from './news.js'
import type { AccountSettings } from './options.js'
import { adviceFor, listed, type Overview, overviewPage, riskOf } from './overview-page.js'
import { afterOfferPage } from './pages.js'
import { createReadUses } from './read-factors.js'

/** Undefined if a response was already sent, for example by a guard that asks for a code. */
export type AccountResult = RouteResult | undefined

/** Returns a refusal as JSON, in the form of the package's other problems (RFC 9457). */
export const problemBody = (code: string, title: string, detail = title, status = 409): object => ({
  type: `urn:express-two-factor:${code}`,
  title,
  status,
  detail,
  code,
})

/** Exceptions from the usual way of making a change. */
interface How extends Confirmation {
  /** Returns the reply after the change. Default: the first page. */
  readonly show?: (() => RouteResult) | undefined
}

/** Functions that all routes of the pages share. */
export type RouteKit = ReturnType<typeof createRouteKit>

/** Creates the functions that add a route, make a change and reply, for numbers, app, recovery codes and browsers. */
export function createRouteKit(router: Router, tf: TwoFactor, settings: AccountSettings) {
  const { path, recoveryCodes, passkeys, mustKeep } = settings
  const { textsOf, read, make, isConfirmed, isFirst, hasGrant } = createMaking(tf, settings)
  const readUses = createReadUses(settings)
  const warnUnguarded = createGuardWarning(tf, path)

  const pageContextOf = (visit: RouteContext): PageContext => ({
    visit,
    path: visit.prefix + path,
    texts: textsOf(visit.locale),
  })

  /** Returns the first page with its JSON. */
  async function overview(visit: RouteContext): Promise<RouteResult> {
    const { req, subject, fields, session } = visit
    const [factors, usedAt, devices, keys] = await Promise.all([
      read(subject),
      readUses(subject),
      tf.trustedDevices.list(subject, req),
      passkeys?.list(subject),
    ])
    await warnUnguarded(req, factors)
    const body: Overview = {
      ...factors,
      numbers: listed(factors.numbers, usedAt),
      appUsedAt: usedAt('app'),
      passkeys: keys?.map(({ id, label, createdAt, usedAt: at }) => ({
        id,
        label,
        // A table without this column must stop no sign-in.
        createdAt: createdAt ?? undefined,
        usedAt: at ?? undefined,
      })),
      devices,
      canRemove: objectionToLoss(factors, mustKeep) === undefined,
      advice: adviceFor(factors),
      risk: riskOf(factors),
    }
    return { ...overviewPage(pageContextOf(visit), body, newsIn(fields.changed, session)), body }
  }

  /** Returns the reason why nothing was changed, with the way on after an offer, or with the first page. */
  async function refusal(visit: RouteContext, code: Objection): Promise<RouteResult> {
    const problem = textsOf(visit.locale)[`problem.${code}`]
    // Programs read the title, so it is in English like the titles of all problems.
    const body = problemBody(code, 'Nothing was changed', problem)
    const returnTo = returnPath(visit)
    const page =
      returnTo === undefined
        ? { ...(await overview(visit)), problem }
        : afterOfferPage(pageContextOf(visit), returnTo, problem)
    return { ...page, status: 409, address: path, body }
  }

  /** Makes one change and returns the reply. `store` is the function that `make` takes. */
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
    // After the first factor the user continues to recovery codes.
    if (made === 'made' && show !== undefined) return show()
    const next = made === 'made-first' && recoveryCodes ? `${path}/recovery-codes` : path
    return {
      location: `${next}?changed=${newsOf(newsAbout(what), visit.session)}`,
      body: { changed: what.kind },
    }
  }

  /** Reply if the requested state already exists: no code is required, and nothing was changed. */
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
    pageContextOf,
    overview,
    refusal,
    change,
    alreadySo,
    get: (route: string, act: OwnAct) => void router.get(route, tf.ownRoute('GET', act)),
    post: (route: string, act: OwnAct) => void router.post(route, tf.ownRoute('POST', act)),
    /** Adds a form that makes a change, and the address that the person opens after the correct code. */
    changes: (route: string, act: OwnAct) => {
      router.post(route, tf.ownRoute('POST', act))
      router.get(route, tf.ownRoute('GET', act))
    },
  }
}
