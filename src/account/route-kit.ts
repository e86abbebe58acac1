import type { Router } from 'express'
import type { OwnAct, OwnReply, OwnVisit, TwoFactor } from '../index.js'
import { type Change, canRemove, type MustKeep, type Ways, wayCount } from './changes.js'
import { createMaking, type Made, storedBy } from './making.js'
import { newsIn, newsOf } from './news.js'
import type { AccountPagesOptions } from './options.js'
import { createReadUses } from './read-ways.js'
import { createTexts } from './texts.js'
import { listed, type Overview, overviewPage, type Scene } from './views.js'

/** Undefined where the response was sent already, as by a guard that asks for a code. */
export type Reply = OwnReply | undefined

/** A refusal as JSON, in the form of the other problems of the package (RFC 9457). */
export const problemBody = (code: string, title: string, detail = title, status = 409): object => ({
  type: `urn:express-two-factor:${code}`,
  title,
  status,
  detail,
  code,
})

/** What all routes of the pages share. */
export type RouteKit = ReturnType<typeof createRouteKit>

/** What programs read above each reason, in English like the titles of all problems. */
const unchanged = 'Nothing was changed'

/** Few enough to make new ones. */
const fewCodes = 3

/** How a route is added, a change made and replied to: the same for numbers, app, recovery codes and browsers. */
export function createRouteKit(router: Router, tf: TwoFactor, options: AccountPagesOptions) {
  const { path, authenticator, recoveryCodes, messages = {} } = options
  const mustKeep: MustKeep = options.mustKeep ?? 'way'
  const textsOf = createTexts(messages)
  const readUses = createReadUses(options)
  const making = createMaking({ tf, options, mustKeep, textsOf })

  const sceneOf = (visit: OwnVisit): Scene => ({ visit, path, texts: textsOf(visit.locale) })

  async function overviewOf({ req, subject }: OwnVisit): Promise<Overview> {
    const [ways, usedAt, devices] = await Promise.all([
      making.read(subject),
      readUses(subject),
      tf.trustedDevices.list(subject, req),
    ])
    return { ways, usedAt, devices, advice: adviceFor(ways), canRemove: canRemove(ways, mustKeep) }
  }

  function adviceFor(ways: Ways): Overview['advice'] {
    const { recoveryCodes: left } = ways
    const count = wayCount(ways)
    if (count === 0) return authenticator === undefined ? 'advice.none.numbers' : 'advice.none'
    if (count === 1 && !left) return recoveryCodes === undefined ? 'advice.one' : 'advice.one.codes'
    return left !== undefined && left > 0 && left <= fewCodes ? 'advice.few' : undefined
  }

  async function overview(visit: OwnVisit): Promise<OwnReply> {
    const found = await overviewOf(visit)
    const { ways, usedAt, devices, advice } = found
    const changed = newsIn(visit.fields.changed, visit.session)
    const page = overviewPage(sceneOf(visit), { ...found, changed })
    const { numbers, app, recoveryCodes: left } = ways
    const body = {
      numbers: listed(numbers, usedAt),
      app,
      appUsedAt: usedAt('app'),
      recoveryCodes: left,
      devices,
      advice,
    }
    return { ...page, body }
  }

  /** Nothing was changed: why, and how it is now. */
  async function refusal(visit: OwnVisit, code: Exclude<Made, 'made' | 'answered'>): Promise<OwnReply> {
    const scene = sceneOf(visit)
    const problem = scene.texts[`problem.${code}`]
    const page = overviewPage(scene, await overviewOf(visit))
    return { ...page, problem, status: 409, address: path, body: problemBody(code, unchanged, problem) }
  }

  /** What becomes of a change. Whoever has set up the first way is led on to recovery codes. */
  async function replyTo(visit: OwnVisit, { kind }: Change, made: Made, isFirst = false): Promise<Reply> {
    if (made === 'answered') return undefined
    if (made !== 'made') return refusal(visit, made)
    const next = isFirst && recoveryCodes ? `${path}/recovery-codes` : path
    return { location: `${next}?changed=${newsOf(kind, visit.session)}`, body: { changed: kind } }
  }

  /** It is so already: nobody is asked for a code, and nothing was changed. */
  const alreadySo: OwnReply = { location: path, body: {} }

  return {
    ...making,
    router,
    tf,
    options,
    path,
    mustKeep,
    sceneOf,
    overview,
    refusal,
    replyTo,
    alreadySo,
    get: (route: string, act: OwnAct) => void router.get(route, tf.ownRoute('GET', act)),
    post: (route: string, act: OwnAct) => void router.post(route, tf.ownRoute('POST', act)),
    /** Makes one change. `save` returns false where something else is on file than the change was made from. */
    async change(visit: OwnVisit, what: Change, save: (ways: Ways) => unknown): Promise<Reply> {
      return replyTo(visit, what, await making.make(visit, what, async (ways) => storedBy(save(ways))))
    },
  }
}
