import type { RouteContext } from '../index.js'
import { hostFunction } from '../lib/host-function.js'
import type { Factors } from './changes.js'
import { newsIn } from './news.js'
import type { AccountPagesOptions } from './options.js'
import { codesPage, type MadeCodes, offerCodesPage, showCodesPage } from './pages.js'
import type { AccountResult, RouteKit } from './route-kit.js'

/** Adds the routes that make new recovery codes and show them once. */
export function addRecoveryCodeRoutes(
  { tf, get, post, path, settings, read, change, pageContextOf, hasGrant, alreadySo }: RouteKit,
  recoveryCodes: NonNullable<AccountPagesOptions['recoveryCodes']>,
): void {
  const nameOf = hostFunction(settings.label)

  /** Makes the codes and shows them once. Opening the address again makes none. */
  async function make(visit: RouteContext): Promise<AccountResult> {
    const { req, subject } = visit
    const kind = 'recovery-codes-made'
    const account = await nameOf(req, subject)
    if (typeof account !== 'string') throw new TypeError('accountPages: label must return a string')
    let made: MadeCodes = { codes: [], account, isFirst: false }
    const store = hostFunction(({ recoveryCodes: left }: Factors) => {
      // The codes are generated after the confirmation, because generating them sends an event.
      const { codes, hashes } = tf.recoveryCodes.generate(subject)
      made = { codes, account, isFirst: !left }
      return recoveryCodes.save(subject, hashes)
    })
    const show = () => ({
      ...codesPage(pageContextOf(visit), made),
      address: `${path}/recovery-codes`,
      body: { changed: kind, codes: made.codes },
    })
    return change(visit, { kind }, store, { show })
  }

  get('/recovery-codes', async (visit) => {
    // The first factor led the person here.
    const isLed = newsIn(visit.fields.changed, visit.session) !== undefined
    if (isLed) return { ...offerCodesPage(pageContextOf(visit)), body: {} }
    const isGranted = await hasGrant(visit, { kind: 'recovery-codes-made' }, await read(visit.subject))
    return isGranted ? { ...showCodesPage(pageContextOf(visit)), body: {} } : alreadySo
  })
  // The response to a POST shows the codes: Chromium does not keep it for Back, with or without scripts.
  post('/recovery-codes', make)
}
