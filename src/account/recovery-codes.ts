import { hostFunction } from '../lib/host-function.js'
import { newsIn } from './news.js'
import type { AccountPagesOptions } from './options.js'
import { codesPage, offerCodesPage } from './pages.js'
import type { RouteKit } from './route-kit.js'

/** Recovery codes: made anew, shown once. */
export function addRecoveryCodeRoutes(
  { tf, get, post, path, change, sceneOf, alreadySo }: RouteKit,
  recoveryCodes: NonNullable<AccountPagesOptions['recoveryCodes']>,
): void {
  get('/recovery-codes', (visit) => {
    // Led here from the first way; a reload of the codes shows them no second time.
    const isLed = newsIn(visit.fields.changed, visit.session) !== undefined
    return isLed ? { ...offerCodesPage(sceneOf(visit)), body: {} } : alreadySo
  })
  post('/recovery-codes', (visit) => {
    const kind = 'recovery-codes-made'
    let codes: readonly string[] = []
    const store = hostFunction(() => {
      // Not before the change is confirmed: that new ones are made is told at once.
      const fresh = tf.recoveryCodes.generate(visit.subject)
      codes = fresh.codes
      return recoveryCodes.save(visit.subject, fresh.hashes)
    })
    const show = () => ({
      ...codesPage(sceneOf(visit), codes),
      address: `${path}/recovery-codes`,
      body: { changed: kind, codes },
    })
    return change(visit, { kind }, store, { show })
  })
}
