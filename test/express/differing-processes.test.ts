import { expect, it, onTestFinished } from 'vitest'
import { memoryStore, type TwoFactorOptions, twoFactor } from '../../src/index.js'
import { baseOptions, startHost } from './kit.js'

const minute = 60_000
const ana = { subject: 'ana', phone: '+573001234567', session: 's1' }

it.each<[string, (now: () => number) => Partial<TwoFactorOptions>]>([
  ['another secret', () => ({ secret: 'another secret of thirty-two bytes' })],
  ['another store', () => ({ store: memoryStore() })],
  ['a clock that is ten minutes ahead', (now) => ({ now: () => now() + 10 * minute })],
])('a correct code is gone at a process with %s', async (_name, differing) => {
  const store = memoryStore()
  const { tf, stub, clock } = await startHost({ options: { store } })
  const options = { ...baseOptions(stub, clock), store }
  const other = twoFactor({ ...options, ...differing(() => clock.now) })
  onTestFinished(() => other.close())
  await tf.challenges.start({ ...ana, purpose: 'login' })
  const code = { ...ana, code: stub.rightCode }
  expect(await other.challenges.verify(code)).toMatchObject({ outcome: 'refused', code: 'challenge_gone' })
  expect(await tf.challenges.verify(code)).toMatchObject({ outcome: 'approved' })
})
