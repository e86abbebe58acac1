import { expect, it } from 'vitest'
import { emptyLedger } from '../../../src/challenge/ledger/ledger.js'
import { both, type Command, type LedgerInHand } from '../../../src/challenge/ledger/ledgers.js'
import { ledgerLimits as limits } from '../kit.js'

const view = { ledger: emptyLedger, now: 0, limits }

/** A ledger that answers as its command decides, and what it answered. */
function ledger(fails?: Error) {
  const answers: unknown[] = []
  const run = async <Outcome>(command: Command<Outcome>) => {
    if (fails !== undefined) throw fails
    const { outcome } = command(view, false)
    answers.push(outcome)
    return { outcome, ...view }
  }
  const hand: LedgerInHand = { read: () => view, run }
  return { hand, answers }
}

const deciding =
  (own: object, shared: object): Command<object> =>
  (_view, isShared) => ({ outcome: isShared ? shared : own })
const takenBack = () => () => ({ outcome: 'taken back' })

it('books at the number, and takes it back where the subject refuses', async () => {
  const [own, shared] = [ledger(), ledger()]
  const booked = { outcome: 'booked' }
  const refused = { outcome: 'refused', code: 'send_limit' }
  const decided = await both(own.hand, shared.hand).run(deciding(booked, refused), takenBack)
  expect(decided.outcome).toEqual(refused)
  expect([own.answers, shared.answers]).toEqual([[booked, 'taken back'], [refused]])
})

it('takes it back where the ledger of the subject cannot be written', async () => {
  const own = ledger()
  const booking = both(own.hand, ledger(new Error('down')).hand).run(
    deciding({ outcome: 'reserved' }, {}),
    takenBack,
  )
  await expect(booking).rejects.toThrow('down')
  expect(own.answers).toEqual([{ outcome: 'reserved' }, 'taken back'])
})

it('asks the subject nothing where the number refuses', async () => {
  const [own, shared] = [ledger(), ledger()]
  const refused = { outcome: 'refused', code: 'phone_locked' }
  expect((await both(own.hand, shared.hand).run(deciding(refused, {}), takenBack)).outcome).toEqual(refused)
  expect([own.answers, shared.answers]).toEqual([[refused], []])
})

it('tells the fewer tries of the two', async () => {
  const rejected = (attemptsRemaining: number) => ({ outcome: 'rejected', attemptsRemaining })
  const settled = await both(ledger().hand, ledger().hand).run(deciding(rejected(4), rejected(1)))
  expect(settled.outcome).toEqual(rejected(1))
})
