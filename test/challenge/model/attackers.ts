import type { SendResult } from '../../../src/challenge/exchange/code-provider.js'
import type { RequesterTag } from '../../../src/challenge/ledger/ledger.js'
import type { Fate, Guess, World } from './world.js'

/**
 * People with one aim each, who go on for days: what they try takes many steps in a row, which histories
 * drawn at random hardly ever make. Every round differs by what `pick` draws.
 */
export type Pick = <Item>(...items: readonly [Item, ...Item[]]) => Item
export type Attacker = (world: World, pick: Pick) => void

const second = 1_000
const minute = 60 * second
const hour = 60 * minute

const ana: RequesterTag = { browserKind: 'unknown', session: 's1' }
/** The same person in a browser that has proven her before. */
const owner: RequesterTag = { browserKind: 'known', session: 's9' }
const login = { ...ana, purpose: 'login' }
const tenMinutes = { result: 'sent', lifetimeMs: 10 * minute } as SendResult

const neverSent: SendResult = { result: 'not-sent' }
const failed: SendResult = { result: 'failed' }

const times = (count: number, act: () => void) => {
  for (let round = 0; round < count; round += 1) act()
}

const verify = (world: World, who: RequesterTag, guess: Guess, fate: Fate = 'judged') => {
  world.guess(who, guess, fate)
  world.answer(0)
}

const begin = (world: World, binding = login, sent = tenMinutes) => {
  world.start(binding, 'home', 'sms')
  world.sent(0, sent)
}

export const attackers: Readonly<Record<string, Attacker>> = {
  /** Guesses without end, over restarts, sessions and purposes, and takes every lock as it comes. */
  'patient guesser'(world, pick) {
    times(60, () => {
      const session = pick('s1', 's1', 's2')
      begin(world, { ...login, session, purpose: pick('login', 'login', 'transfer') })
      times(6, () => verify(world, { ...ana, session }, 'wrong', pick('judged', 'judged', 'lost')))
      world.wait(pick(minute, 5 * minute, 10 * minute, 15 * minute, 15 * minute - 1, 30 * minute, hour))
    })
  },

  /** Lets a code lie until it is about to expire, so that one day sees the guesses of the day before, too. */
  'late guesser'(world, pick) {
    const guesses = () => times(5, () => verify(world, ana, 'wrong', pick('lost', 'misconfigured')))
    times(10, () => {
      begin(world)
      world.wait(10 * minute - 1)
      guesses()
      world.wait(70 * minute + 1)
    })
    world.wait(24 * hour - 10 * 80 * minute)
    // Nor does a success of the owner in another browser begin a new day.
    if (pick(true, false)) {
      begin(world, { ...owner, purpose: 'login' })
      verify(world, owner, 'right')
    }
    begin(world)
    guesses()
    world.wait(9 * minute)
    guesses()
  },

  /** Has the password, and wants to keep the owner out: every chance is taken before and after each of her steps. */
  siege(world, pick) {
    const strike = () => {
      begin(world)
      times(pick(1, 3, 5), () => verify(world, ana, 'wrong', pick('judged', 'judged', 'lost')))
      world.guess(ana, pick('right', 'wrong'), 'judged')
    }
    times(20, () => {
      times(pick(1, 2, 4), () => {
        strike()
        world.wait(pick(2 * minute, 5 * minute, 15 * minute))
      })
      strike()
      begin(world, { ...owner, purpose: 'login' }, pick(tenMinutes, tenMinutes, neverSent, failed))
      pick(strike, () => {})()
      pick(
        () => verify(world, owner, 'wrong'),
        () => world.cancel(owner),
        () => world.guess(owner, 'wrong', 'judged'),
        () => {},
      )()
      world.answer(1)
      strike()
      world.answer(0)
      verify(world, owner, pick('right', 'wrong'))
      strike()
      world.wait(pick(minute, 10 * minute, hour, 8 * hour, 24 * hour))
    })
  },

  /** Has a stolen cookie beside the password, and guesses over both. */
  'thief of a cookie'(world, pick) {
    times(40, () => {
      const who = pick(ana, owner)
      begin(world, { ...who, purpose: 'login' })
      times(6, () => verify(world, pick(who, who, ana, owner), 'wrong', pick('judged', 'lost')))
      if (pick(false, false, false, false, false, true)) world.enable()
      world.wait(pick(minute, 5 * minute, 10 * minute, 30 * minute, hour))
    })
  },

  /** Types the same code over and over, before and after another one was sent. */
  'stubborn typist'(world, pick) {
    times(20, () => {
      begin(world)
      verify(world, ana, pick('wrong', 'earlier'), pick('judged', 'judged', 'lost'))
      times(3, () => verify(world, ana, 'again'))
      world.wait(2 * minute)
      world.guess(ana, 'wrong', 'judged')
      world.resend(ana, 'sms')
      world.sent(0, pick(tenMinutes, failed))
      world.answer(0)
      times(3, () => verify(world, ana, pick('again', 'earlier', 'wrong')))
      verify(world, ana, pick('right', 'again'))
      world.wait(pick(hour, 10 * minute))
    })
  },

  /** Asks for codes here and there, some of which never leave. */
  'chooser among places'(world, pick) {
    times(30, () => {
      world.start(login, 'home', 'sms')
      world.sent(0, pick(tenMinutes, failed))
      world.start({ ...login, purpose: pick('login', 'transfer') }, 'office', pick('sms', 'call'))
      const other = pick(login, { ...owner, purpose: 'login' })
      pick(
        () => world.start(other, 'home', 'call'),
        () => world.cancel(ana),
        () => {},
      )()
      world.sent(pick(0, 1), neverSent)
      world.sent(0, pick(tenMinutes, neverSent))
      verify(world, pick(ana, owner), pick('right', 'wrong'))
      world.wait(pick(minute, 5 * minute, hour))
    })
  },

  /** Types a code, hears nothing, and types it again. */
  'typist in an outage'(world, pick) {
    times(10, () => {
      begin(world)
      world.guess(ana, 'wrong', 'judged')
      pick(
        () => world.answer(0),
        () => {},
      )()
      world.wait(11 * second)
      verify(world, ana, 'again', pick('judged', 'lost'))
      verify(world, ana, 'again')
      world.wait(pick(5 * minute, hour))
    })
  },
  /** Requests a code every few minutes and types it, for a day and a half in which the provider decides nothing. */
  'impatient user in an outage'(world, pick) {
    const who = pick(ana, owner)
    times(300, () => {
      world.start({ ...who, purpose: 'login' }, pick('home', 'home', 'office'), pick('sms', 'sms', 'call'))
      world.sent(0, pick(tenMinutes, { result: 'unconfirmed' }))
      verify(world, who, 'right', pick('lost', 'misconfigured'))
      world.wait(pick(minute, 5 * minute, 10 * minute, 10 * minute - 1))
    })
    verify(world, who, 'right')
  },
}
