import { TwoFactorError } from '../errors.js'
import type { OwnAct, RouteContext } from '../index.js'
import { hostFunction, isOfHost } from '../lib/host-function.js'
import { type AccountChangeRequest, type Factors, factorsAfter } from './changes.js'
import { listed } from './overview-page.js'
import { addNumberPage } from './pages.js'
import { type AccountResult, problemBody, type RouteKit } from './route-kit.js'

/** Numbers: prove and add one, put one first, remove one. */
export function addNumberRoutes(kit: RouteKit): void {
  const { router, tf, get, post, settings, path, read, isFirst, change, refusal, alreadySo, sceneOf } = kit
  const { numbers, newNumberPurpose: purpose } = settings
  const newNumber = tf.phoneVerification({
    purpose,
    path: `${path}/number`,
    successPath: `${path}/numbers/add`,
    backPath: path,
  })

  /** What is done with the number that was proven last. Where there is none, one is proven first. */
  const withProven =
    (act: (visit: RouteContext, number: string) => Promise<AccountResult>): OwnAct =>
    async (visit) => {
      const proven = await newNumber.proven(visit.req)
      if (proven !== undefined) return act(visit, proven.phone)
      const problem = problemBody('unproven', 'No number is proven', visit.texts['phone.unproven.text'])
      const body = { ...problem, startUrl: `${path}/number/start` }
      return { location: `${path}/number`, status: 409, body }
    }

  /** Stores the list as it is after a change. */
  const save = hostFunction(({ subject }: RouteContext, what: AccountChangeRequest, factors: Factors) =>
    numbers.save(subject, factorsAfter(what, factors).numbers, factors.numbers),
  )

  /** Puts the number on file that a form names first, or removes it. */
  const changeListed =
    (kind: 'number-first' | 'number-removed'): OwnAct =>
    async (visit) => {
      const { numbers: list } = await read(visit.subject)
      const index = listed(list).findIndex(({ id }) => id === visit.fields.number)
      const number = list[index]
      if (number === undefined) return refusal(visit, 'stale')
      if (kind === 'number-first' && index === 0) return alreadySo
      const what = { kind, number }
      return change(visit, what, (factors) => save(visit, what, factors))
    }

  const offer = withProven(async (visit, number) => {
    const page = addNumberPage(sceneOf(visit), number, isFirst(await read(visit.subject)))
    return { ...page, body: { number } }
  })

  const add = withProven((visit, number) => {
    const what: AccountChangeRequest = { kind: 'number-added', number }
    // The proof is used up by what was saved alone. Whoever has gone waits for no change.
    const store = async (factors: Factors) =>
      !visit.res.closed &&
      newNumber.redeemWith(visit.req, () => save(visit, what, factors)).catch(falseIfTaken)
    return change(visit, what, store)
  })

  router.use('/number', newNumber.routes())
  get('/numbers/add', offer)
  post('/numbers/add', add)
  post('/numbers/first', changeListed('number-first'))
  post('/numbers/remove', changeListed('number-removed'))
}

/** Race: another request has used the proof. */
function falseIfTaken(error: unknown): false {
  if (error instanceof TwoFactorError && error.code === 'second_factor_required' && !isOfHost(error))
    return false
  throw error
}
