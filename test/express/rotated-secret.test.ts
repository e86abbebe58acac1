import { expect, it, onTestFinished } from 'vitest'
import { memoryStore, type TwoFactor, twoFactor } from '../../src/index.js'
import { baseOptions, startHost } from './kit.js'

const minute = 60_000
const [older, newer] = ['an older secret of thirty-two bytes', 'a newer secret of thirty-two bytes']
const phone = '+573001234567'
const ana = { subject: 'ana', phone, session: 's1' }

/** Processes with one store, during the three steps of a rotation. */
async function startProcesses() {
  const store = memoryStore()
  const { stub, clock } = await startHost()
  const withSecrets = (...secret: string[]) => {
    const tf = twoFactor({ ...baseOptions(stub, clock), store, now: () => clock.now, secret })
    onTestFinished(() => tf.close())
    return tf
  }
  return {
    stub,
    before: withSecrets(older),
    both: withSecrets(newer, older),
    after: withSecrets(newer),
    /** After the pause and the lifetime of an earlier code. */
    start: (tf: TwoFactor) => {
      clock.now += 10 * minute
      return tf.challenges.start({ ...ana, purpose: 'login' })
    },
    verify: (tf: TwoFactor, code = stub.rightCode) => tf.challenges.verify({ ...ana, code }),
  }
}

const sendsOf = async (tf: TwoFactor) => (await tf.subjects.state('ana', { phone })).number?.sendsInDay.count

it('while two secrets are set, a code of any process counts for the same number and account', async () => {
  const { before, both, start, verify } = await startProcesses()
  await start(before)
  expect(await verify(both)).toMatchObject({ outcome: 'approved' })
  for (const tf of [before, both]) expect(await sendsOf(tf)).toBe(1)
})

it('without the older secret, pending codes, used codes and counts of numbers are gone', async () => {
  const { stub, both, after, start, verify } = await startProcesses()
  await start(both)
  expect(await verify(after)).toMatchObject({ outcome: 'refused', code: 'challenge_gone' })
  const used = stub.rightCode
  expect(await verify(both, used)).toMatchObject({ outcome: 'approved' })
  // This provider would approve a code twice.
  stub.answerCheck = () => ({ json: { status: 'verified' } })
  await start(both)
  expect(await verify(both, used)).toMatchObject({ outcome: 'rejected' })
  expect([await sendsOf(both), await sendsOf(after)]).toEqual([2, 0])
  await start(after)
  expect(await verify(after, used)).toMatchObject({ outcome: 'approved' })
})

it('without the older secret, a locked account stays locked', async () => {
  const { both, after, start, verify } = await startProcesses()
  for (const first of [100_000, 200_000]) {
    await start(both)
    for (let code = first; code < first + 5; code += 1) await verify(both, `${code}`)
  }
  expect(await after.subjects.state('ana')).toMatchObject({ locked: true, judged: 10 })
  expect(await start(after)).toMatchObject({ outcome: 'refused', code: 'account_locked' })
})
