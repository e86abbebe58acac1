import type { SendResult } from '../../../src/challenge/code-provider.js'
import type { Figures, Who } from './oracle.js'
import type { World } from './world.js'

const second = 1_000
const minute = 60 * second
const hour = 60 * minute

/** So small that a handful of steps reaches every bound. */
const small: Figures = {
  attempts: 2,
  failuresBeforeLock: 3,
  failuresBeforeDisable: 6,
  checksPerHour: 6,
  checksPerDay: 8,
  shares: {
    strangers: { failuresBeforeDisable: 4, checksPerHour: 4, checksPerDay: 5 },
    known: { failuresBeforeDisable: 2, checksPerHour: 2, checksPerDay: 3 },
  },
  cooldownMs: [minute, 2 * minute, 5 * minute],
  sendsPerChallenge: 2,
  sendsPerHour: 3,
  sendsPerDay: 4,
  allSendsPerHour: 3,
  allSendsPerDay: 4,
  callsPerHour: 1,
  callsPerDay: 1,
}

const ana: Who = { budget: 'strangers', session: 's1', subject: 'ana' }
const bob: Who = { budget: 'strangers', session: 's2', subject: 'bob' }
/** Ana in a browser that has proven her before. */
const owner: Who = { budget: 'known', session: 's2', subject: 'ana' }
const people = { ana, bob, owner }

const tenMinutes: SendResult = { result: 'sent', lifetimeMs: 10 * minute }
type Action = (world: World) => void

/** Everything that anybody may do next. */
export const actions: Readonly<Record<string, Action>> = {
  ...each(people, (who) => ({
    start: (world) => {
      world.start({ ...who, purpose: 'login' }, 'sms')
      world.sent(0, tenMinutes)
    },
    'types a wrong code': (world) => {
      world.guess(who, 'wrong', 'judged')
      world.answer(0)
    },
    'types the right code': (world) => {
      world.guess(who, 'right', 'judged')
      world.answer(0)
    },
  })),
  ...each({ ana, owner }, (who) => ({
    'starts, not answered yet': (world) => world.start({ ...who, purpose: 'login' }, 'sms'),
    resends: (world) => {
      world.resend(who, 'sms')
      world.sent(0, tenMinutes)
    },
    'types the code before': (world) => {
      world.guess(who, 'earlier', 'judged')
      world.answer(0)
    },
    'types the same code again': (world) => {
      world.guess(who, 'again', 'judged')
      world.answer(0)
    },
    'types a wrong code, not answered yet': (world) => world.guess(who, 'wrong', 'judged'),
    'types the right code, not answered yet': (world) => world.guess(who, 'right', 'judged'),
    'types a wrong code, the answer is lost': (world) => {
      world.guess(who, 'wrong', 'lost')
      world.answer(0)
    },
    'types a wrong code, which is never sent': (world) => {
      world.guess(who, 'wrong', 'never sent')
      world.answer(0)
    },
    cancels: (world) => world.cancel(who),
  })),
  'ana types five wrong codes': (world) => {
    for (let typed = 0; typed < 5; typed += 1) {
      world.guess(ana, 'wrong', 'judged')
      world.answer(0)
    }
  },
  'ana starts, which is refused': (world) => {
    world.start({ ...ana, purpose: 'login' }, 'sms')
    world.sent(0, { result: 'failed' })
  },
  'ana resends, not answered yet': (world) => world.resend(ana, 'sms'),
  'ana starts another purpose': (world) => {
    world.start({ ...ana, purpose: 'transfer' }, 'sms')
    world.sent(0, tenMinutes)
  },
  'ana resends by call': (world) => {
    world.resend(ana, 'call')
    world.sent(0, tenMinutes)
  },
  'the send has left': (world) => world.sent(0, tenMinutes),
  'the send is refused': (world) => world.sent(0, { result: 'failed' }),
  'the send never left': (world) => world.sent(0, { result: 'not-sent' }),
  'the send went to another number, too': (world) => world.sent(0, { result: 'foreign-number' }),
  'the answer to a code comes': (world) => world.answer(0),
  'the answer to the code before comes': (world) => world.answer(1),
  'the operator enables the number': (world) => world.enable(),
  'ten seconds pass': (world) => world.wait(10 * second),
  'a minute passes': (world) => world.wait(minute),
  'five minutes pass': (world) => world.wait(5 * minute),
  'ten minutes pass': (world) => world.wait(10 * minute),
  'fifteen minutes pass': (world) => world.wait(15 * minute),
  'fifty-five minutes pass': (world) => world.wait(55 * minute),
  'fifty-seven minutes pass': (world) => world.wait(57 * minute),
  'an hour passes': (world) => world.wait(hour),
}

function each(
  cast: Readonly<Record<string, Who>>,
  actsOf: (who: Who) => Readonly<Record<string, Action>>,
): Record<string, Action> {
  const entries = Object.entries(cast).flatMap(([name, who]) =>
    Object.entries(actsOf(who)).map(([act, run]) => [`${name} ${act}`, run] as const),
  )
  return Object.fromEntries(entries)
}

/** Some actions that are tried in every order, and the figures that they need to get somewhere. */
export interface Topic {
  readonly depth: number
  readonly by: readonly string[]
  readonly figures: Figures
}

const topic = (depth: number, by: readonly string[], figures: Partial<Figures> = {}): Topic => ({
  depth,
  by,
  figures: { ...small, ...figures },
})

/** With few actions the search gets deep; with all of them it sees how the parts meet. */
export const topics: Readonly<Record<string, Topic>> = {
  everything: topic(3, Object.keys(actions)),
  'wrong codes': topic(6, [
    'ana start',
    'ana types a wrong code',
    'ana types the right code',
    'ana types a wrong code, the answer is lost',
    'ten minutes pass',
    'an hour passes',
  ]),
  'the same codes': topic(6, [
    'ana start',
    'ana types a wrong code',
    'ana types the right code',
    'ana types the code before',
    'ana types the same code again',
    'ana resends',
    'ana resends, not answered yet',
    'ana types a wrong code, not answered yet',
    'the answer to a code comes',
    'a minute passes',
  ]),
  lifetimes: topic(5, [
    'ana start',
    'ana types a wrong code',
    'ana resends',
    'ana cancels',
    'five minutes pass',
  ]),
  sends: topic(
    5,
    [
      'ana start',
      'bob start',
      'ana starts, which is refused',
      'ana starts another purpose',
      'ana resends',
      'ana resends by call',
      'ana types a wrong code',
      'ana cancels',
      'a minute passes',
      'five minutes pass',
    ],
    {
      sendsPerHour: 2,
      sendsPerDay: 3,
      checksPerHour: 4,
      checksPerDay: 6,
      shares: {
        strangers: { failuresBeforeDisable: 4, checksPerHour: 2, checksPerDay: 4 },
        known: { failuresBeforeDisable: 2, checksPerHour: 2, checksPerDay: 2 },
      },
    },
  ),
  'answers to a send': topic(5, [
    'ana start',
    'ana starts, not answered yet',
    'the send has left',
    'the send is refused',
    'the send never left',
    'the send went to another number, too',
    'ana types a wrong code',
    'a minute passes',
  ]),
  'answers to a code': topic(5, [
    'ana start',
    'bob start',
    'ana types a wrong code, not answered yet',
    'ana types the right code, not answered yet',
    'ana types a wrong code, which is never sent',
    'the answer to a code comes',
    'the answer to the code before comes',
    'ana cancels',
    'ten seconds pass',
    'a minute passes',
  ]),
  'two budgets': topic(6, [
    'ana start',
    'ana starts, not answered yet',
    'ana types five wrong codes',
    'owner start',
    'owner types a wrong code',
    'owner types the right code',
    'owner cancels',
    'five minutes pass',
  ]),
  'two budgets at once': topic(5, [
    'ana start',
    'ana types a wrong code, not answered yet',
    'owner starts, not answered yet',
    'owner types a wrong code, not answered yet',
    'the send never left',
    'the answer to a code comes',
    'a minute passes',
  ]),
  locks: topic(
    7,
    [
      'ana start',
      'ana types a wrong code',
      'ana types five wrong codes',
      'owner start',
      'owner types the right code',
      'five minutes pass',
      'fifteen minutes pass',
    ],
    {
      attempts: 6,
      failuresBeforeLock: 1,
      failuresBeforeDisable: 20,
      checksPerHour: 18,
      checksPerDay: 24,
      shares: {
        strangers: { failuresBeforeDisable: 12, checksPerHour: 11, checksPerDay: 15 },
        known: { failuresBeforeDisable: 8, checksPerHour: 7, checksPerDay: 9 },
      },
    },
  ),
  'locks of both': topic(
    5,
    [
      'ana start',
      'ana types a wrong code',
      'owner start',
      'owner types a wrong code',
      'the operator enables the number',
    ],
    { failuresBeforeLock: 1 },
  ),
  hours: topic(
    7,
    [
      'ana start',
      'ana types five wrong codes',
      'owner start',
      'owner types the right code',
      'five minutes pass',
      'fifty-five minutes pass',
      'fifty-seven minutes pass',
    ],
    {
      failuresBeforeLock: 99,
      failuresBeforeDisable: 99,
      sendsPerHour: 1,
      sendsPerDay: 2,
      checksPerHour: 2,
      checksPerDay: 4,
      shares: {
        strangers: { failuresBeforeDisable: 60, checksPerHour: 2, checksPerDay: 2 },
        known: { failuresBeforeDisable: 39, checksPerHour: 2, checksPerDay: 2 },
      },
    },
  ),
}
