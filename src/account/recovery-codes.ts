import { storedBy } from './making.js'
import { newsIn } from './news.js'
import type { AccountPagesOptions } from './options.js'
import type { RouteKit } from './route-kit.js'
import { codesPage, offerCodesPage } from './views.js'

/** Recovery codes: made anew, shown once. */
export function addRecoveryCodeRoutes(
  { tf, get, post, path, make, sceneOf, refusal }: RouteKit,
  recoveryCodes: NonNullable<AccountPagesOptions['recoveryCodes']>,
): void {
  get('/recovery-codes', (visit) => {
    // Led here from the first way; a reload of the codes shows them no second time.
    const isLed = newsIn(visit.fields.changed, visit.session) !== undefined
    return isLed ? { ...offerCodesPage(sceneOf(visit)), body: {} } : { location: path, body: {} }
  })
  post('/recovery-codes', async (visit) => {
    let codes: readonly string[] = []
    const made = await make(visit, { kind: 'recovery-codes-made' }, () => {
      // Not before the change is confirmed: that new ones are made is told at once.
      const fresh = tf.recoveryCodes.generate(visit.subject)
      codes = fresh.codes
      return storedBy(recoveryCodes.save(visit.subject, fresh.hashes))
    })
    if (made === 'answered') return undefined
    if (made !== 'made') return refusal(visit, made)
    const body = { changed: 'recovery-codes-made', codes }
    return { ...codesPage(sceneOf(visit), codes), address: `${path}/recovery-codes`, body }
  })
}
