import fc from 'fast-check'
import type { SendResult } from '../../../src/challenge/exchange/code-provider.js'
import type { RequesterTag } from '../../../src/challenge/ledger/ledger.js'
import type { Fate, Guess, Shown, World } from './world.js'

const second = 1_000
const minute = 60 * second
const hour = 60 * minute

/** One thing that happens, drawn from these values, and how it reads in a counterexample. */
function step<Values extends readonly unknown[]>(
  name: string,
  values: { [Index in keyof Values]: fc.Arbitrary<Values[Index]> },
  act: (world: World, ...values: Values) => void,
): fc.Arbitrary<fc.Command<object, World>> {
  return fc.tuple(...(values as unknown as fc.Arbitrary<unknown>[])).map((drawn) => ({
    check: () => true,
    run: (_, world) => act(world, ...(drawn as unknown as Values)),
    toString: () => `${name} ${JSON.stringify(drawn)}`,
  }))
}

/** Mostly the same few, so that they meet; sometimes somebody else. */
const who = fc.constantFrom<RequesterTag>(
  { browserKind: 'unknown', session: 's1' },
  { browserKind: 'unknown', session: 's1' },
  { browserKind: 'unknown', session: 's1' },
  { browserKind: 'known', session: 's2' },
  { browserKind: 'known', session: 's2' },
  { browserKind: 'unknown', session: 's3' },
  { browserKind: 'unknown', session: 's2' },
  { browserKind: 'known', session: 's3' },
)
const binding = fc
  .tuple(who, fc.constantFrom('login', 'login', 'transfer'), fc.constantFrom(undefined, undefined, 'hash'))
  .map(([person, purpose, bound]) => ({ ...person, purpose, ...(bound === undefined ? {} : { bound }) }))
const channel = fc.constantFrom('sms' as const, 'sms' as const, 'call' as const)
const factor = fc.constantFrom('home', 'home', 'home', 'office')
const nth = fc.nat({ max: 3 })

const sendResult = fc.constantFrom<SendResult>(
  { result: 'sent', lifetimeMs: 10 * minute },
  { result: 'sent', lifetimeMs: 10 * minute },
  { result: 'sent', lifetimeMs: 2 * minute },
  { result: 'sent' },
  { result: 'unconfirmed' },
  { result: 'failed' },
  { result: 'misconfigured' },
  { result: 'foreign-number' },
  { result: 'not-sent' },
)
const shown = fc.constantFrom<Shown>('right', 'wrong', 'wrong')
const guess = fc.constantFrom<Guess>('right', 'right', 'wrong', 'wrong', 'wrong', 'earlier', 'again')
const fate = fc.constantFrom<Fate>(
  'judged',
  'judged',
  'judged',
  'judged',
  'lost',
  'never sent',
  'misconfigured',
)

/** The moments at which something ends, and one before them. */
const pause = fc.constantFrom(
  ...[
    1,
    10 * second,
    12 * second,
    minute,
    2 * minute,
    5 * minute,
    10 * minute,
    15 * minute,
    30 * minute,
    hour,
    24 * hour,
  ].flatMap((ms) => [ms, ms, ms - 1]),
)

const starts = step('start', [binding, factor, channel], (world, ...order) => world.start(...order))
const sent = step('sent', [nth, sendResult], (world, ...settled) => world.sent(...settled))
const guesses = step('guess', [who, guess, fate], (world, ...typed) => world.guess(...typed))
const answers = step('answer', [nth], (world, index) => world.answer(index))
/** Typed and answered, as most codes are. */
const verifies = step('verify', [who, guess, fate], (world, ...typed) => {
  world.guess(...typed)
  world.answer(0)
})

const steps = [
  starts,
  starts,
  sent,
  step('start and send', [binding, factor, channel, sendResult], (world, order, at, over, result) => {
    world.start(order, at, over)
    world.sent(0, result)
  }),
  step('resend', [who, channel, sendResult], (world, person, over, result) => {
    world.resend(person, over)
    world.sent(0, result)
  }),
  guesses,
  verifies,
  verifies,
  verifies,
  answers,
  step('show', [who, shown], (world, ...typed) => {
    world.show(...typed)
    world.answer(0)
  }),
  step('overtake', [factor, fc.nat({ max: 4 })], (world, number, rarely) => {
    if (rarely === 0) world.overtake(number)
  }),
  step('cancel', [who], (world, person) => world.cancel(person)),
  step('wait', [pause], (world, ms) => world.wait(ms)),
  step('wait', [pause], (world, ms) => world.wait(ms)),
  step('enable', [fc.nat({ max: 9 })], (world, rarely) => {
    if (rarely === 0) world.enable()
  }),
]

/** The clock of the machine is set, by hand or by a time server that it had lost. */
const jump = step('clock set', [fc.constantFrom(hour, -hour, 6 * minute, -6 * minute)], (world, ms) =>
  world.wait(ms),
)

export const histories = (most: number) => fc.commands(steps, { maxCommands: most, size: 'max' })
export const historiesUnderBadClocks = (most: number) =>
  fc.commands([...steps, jump, jump, jump], { maxCommands: most, size: 'max' })
