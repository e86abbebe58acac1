import type { Router } from 'express'
import type { OwnVisit } from '../index.js'
import { type Change, isWithoutWay, type Ways } from './changes.js'
import type { Desk } from './desk.js'
import { passes } from './making.js'
import type { AccountPagesOptions } from './options.js'
import { addPage, listed } from './views.js'

/** Numbers: prove and add one, put one first, remove one. */
export function addNumberRoutes(
  router: Router,
  desk: Desk,
  { numbers, newNumberPurpose = 'new-number' }: AccountPagesOptions,
): void {
  const { tf, path, least, read, make, sceneOf, refusal, replyTo, change } = desk
  const newNumber = tf.phoneVerification({
    purpose: newNumberPurpose,
    path: `${path}/number`,
    successPath: `${path}/numbers/add`,
  })
  const requireProof = newNumber.requireProof()

  /** Where a number is proven first. */
  const unproven = {
    location: `${path}/number`,
    status: 409,
    body: { status: 409, code: 'unproven', startUrl: `${path}/number/start` },
  }

  async function addition(visit: OwnVisit) {
    const proven = await newNumber.proven(visit.req)
    return proven && { number: proven.phone, isFirst: isWithoutWay(await read(visit.subject), least) }
  }

  /** The number on file that a form names. */
  async function numberIn({ subject, fields }: OwnVisit): Promise<string | undefined> {
    const { numbers: list } = await read(subject)
    return list[listed(list).findIndex(({ id }) => id === fields.number)]
  }

  const ofNumber = (
    kind: 'number-first' | 'number-removed',
    rearranged: (number: string, others: readonly string[]) => readonly string[],
  ) =>
    tf.ownRoute('POST', async (visit) => {
      const number = await numberIn(visit)
      if (number === undefined) return refusal(visit, 'stale')
      const store = ({ numbers: list }: Ways) => {
        const others = list.filter((one) => one !== number)
        return numbers.save(visit.subject, rearranged(number, others), list)
      }
      return change(visit, { kind, number }, store)
    })

  router.use('/number', newNumber.routes())
  router.get(
    '/numbers/add',
    tf.ownRoute('GET', async (visit) => {
      const found = await addition(visit)
      if (found === undefined) return unproven
      const { number, isFirst } = found
      return { ...addPage(sceneOf(visit), number, isFirst), body: { number } }
    }),
  )
  router.post(
    '/numbers/add',
    tf.ownRoute('POST', async (visit) => {
      const found = await addition(visit)
      if (found === undefined) return unproven
      const { number, isFirst } = found
      const what: Change = { kind: 'number-added', number }
      const made = await make(visit, what, async ({ numbers: list }) => {
        // Used up here. Where the list is stale it is given back, so that nobody proves a number twice.
        if (!(await passes(requireProof, visit))) return 'answered'
        return numbers.save(visit.subject, [...list, number], list)
      })
      return replyTo(visit, what, made, isFirst)
    }),
  )
  router.post(
    '/numbers/first',
    ofNumber('number-first', (number, others) => [number, ...others]),
  )
  router.post(
    '/numbers/remove',
    ofNumber('number-removed', (_number, others) => others),
  )
}
