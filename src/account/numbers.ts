import { TwoFactorError } from '../errors.js'
import type { OwnAct, RouteContext } from '../index.js'
import { hostFunction, isOfHost } from '../lib/host-function.js'
import { type AccountChangeRequest, type Factors, factorsAfter } from './changes.js'
import { taken } from './making.js'
import { listed } from './overview-page.js'
import { type AccountResult, problemBody, type RouteKit } from './route-kit.js'

/** Adds the routes that verify, add, reorder and remove numbers. */
export function addNumberRoutes(kit: RouteKit): void {
  const { router, tf, changes, settings, path, read, change, refusal, alreadySo } = kit
  const { numbers, newNumberPurpose: purpose } = settings
  const newNumber = tf.phoneVerification({
    purpose,
    path: `${path}/number`,
    successPath: `${path}/numbers/add`,
    backPath: path,
  })

  /** Runs an act with the last verified number. Without a verified number, the person verifies a number first. */
  const withProven =
    (act: (visit: RouteContext, number: string) => Promise<AccountResult>): OwnAct =>
    async (visit) => {
      const proven = await newNumber.proven(visit.req)
      if (proven !== undefined) return act(visit, proven.phone)
      const problem = problemBody('unproven', 'No number was verified', visit.texts['phone.unproven.text'])
      const body = { ...problem, startUrl: `${visit.prefix}${path}/number/start` }
      return { location: `${path}/number`, status: 409, body }
    }

  /** Stores the list after a change. */
  const save = hostFunction(({ subject }: RouteContext, what: AccountChangeRequest, factors: Factors) =>
    numbers.save(subject, factorsAfter(what, factors).numbers, factors.numbers),
  )

  /** Puts the number of the form first, or removes it. */
  const changeListed =
    (kind: 'number-first' | 'number-removed'): OwnAct =>
    async (visit) => {
      const { numbers: list } = await read(visit.subject)
      const index = listed(list).findIndex(({ id }) => id === visit.fields.number)
      const number = list[index]
      // The address of the form, opened by hand, contains no number.
      if (visit.req.method !== 'POST' && visit.fields.number === undefined) return alreadySo
      if (number === undefined) return refusal(visit, 'stale')
      if (kind === 'number-first' && index === 0) return alreadySo
      const what = { kind, number }
      return change(visit, what, (factors) => save(visit, what, factors))
    }

  /** Stores a new number. Only a successful save uses up the proof of the number. */
  async function saveProven(
    visit: RouteContext,
    what: AccountChangeRequest,
    factors: Factors,
  ): Promise<unknown> {
    // The client has disconnected and expects no change.
    if (visit.res.closed) return false
    let answer: unknown
    const saved = await newNumber
      .redeemWith(visit.req, async () => {
        answer = await save(visit, what, factors)
        return answer !== taken && answer
      })
      .catch(falseIfUsed)
    return answer === taken ? taken : saved
  }

  const add = withProven(async (visit, number) => {
    if (visit.req.method !== 'POST' && !visit.wantsPage) return { location: path, body: { number } }
    const what: AccountChangeRequest = { kind: 'number-added', number }
    // GET is allowed too: only the correct code for the new number leads here.
    return change(visit, what, (factors) => saveProven(visit, what, factors), {
      isAsked: visit.req.method !== 'HEAD',
    })
  })

  router.use('/number', newNumber.routes())
  changes('/numbers/add', add)
  changes('/numbers/first', changeListed('number-first'))
  changes('/numbers/remove', changeListed('number-removed'))
}

/** Returns false if another request has used the proof (race). Throws every other error again. */
function falseIfUsed(error: unknown): false {
  if (error instanceof TwoFactorError && error.code === 'second_factor_required' && !isOfHost(error))
    return false
  throw error
}
