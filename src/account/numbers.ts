import type { OwnAct, OwnReply, OwnVisit } from '../index.js'
import { type Change, isWithoutWay, type Ways, waysAfter } from './changes.js'
import { storedBy } from './making.js'
import { passes } from './passes.js'
import { problemBody, type RouteKit } from './route-kit.js'
import { addNumberPage, listed } from './views.js'

/** Numbers: prove and add one, put one first, remove one. */
export function addNumberRoutes(kit: RouteKit): void {
  const { router, tf, get, post, options, path, mustKeep } = kit
  const { read, make, change, replyTo, refusal, alreadySo, sceneOf } = kit
  const { numbers, newNumberPurpose: purpose = 'new-number' } = options
  const newNumber = tf.phoneVerification({
    purpose,
    path: `${path}/number`,
    successPath: `${path}/numbers/add`,
    backPath: path,
  })
  const requireProof = newNumber.requireProof()

  /** Where a number is proven first. */
  function unproven({ texts }: OwnVisit): OwnReply {
    const problem = problemBody('unproven', 'No number is proven', texts['phone.unproven.text'])
    return { location: `${path}/number`, status: 409, body: { ...problem, startUrl: `${path}/number/start` } }
  }

  /** The number that was proven last and is to be added; undefined where there is none. */
  async function provenNumber(visit: OwnVisit) {
    const proven = await newNumber.proven(visit.req)
    return proven && { number: proven.phone, isFirst: isWithoutWay(await read(visit.subject), mustKeep) }
  }

  /** Puts the number on file that a form names first, or removes it. */
  const changeListed =
    (kind: 'number-first' | 'number-removed'): OwnAct =>
    async (visit) => {
      const { numbers: list } = await read(visit.subject)
      const index = listed(list).findIndex(({ id }) => id === visit.fields.number)
      const number = list[index]
      if (number === undefined) return refusal(visit, 'stale')
      if (kind === 'number-first' && index === 0) return alreadySo
      const what: Change = { kind, number }
      const store = (ways: Ways) => numbers.save(visit.subject, waysAfter(what, ways).numbers, ways.numbers)
      return change(visit, what, store)
    }

  router.use('/number', newNumber.routes())
  get('/numbers/add', async (visit) => {
    const found = await provenNumber(visit)
    if (found === undefined) return unproven(visit)
    const { number, isFirst } = found
    return { ...addNumberPage(sceneOf(visit), number, isFirst), body: { number } }
  })
  post('/numbers/add', async (visit) => {
    const found = await provenNumber(visit)
    if (found === undefined) return unproven(visit)
    const { number, isFirst } = found
    const what: Change = { kind: 'number-added', number }
    const made = await make(visit, what, async (ways) => {
      // The proof is used up here; with an error as the response its own guard gives it back, for the next try.
      if (!(await passes(requireProof, visit))) return 'answered'
      return storedBy(numbers.save(visit.subject, waysAfter(what, ways).numbers, ways.numbers))
    })
    return replyTo(visit, what, made, isFirst)
  })
  post('/numbers/first', changeListed('number-first'))
  post('/numbers/remove', changeListed('number-removed'))
}
