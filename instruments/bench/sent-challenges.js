// Stores full of ledgers, each with a sent challenge, by the compiled files as they were before they are bundled.
import { createKeys, createSecrets, hashId } from '../../build/modules/challenge/keys.js'
import { createLedgers } from '../../build/modules/challenge/ledger/ledgers.js'
import { settleSend, start } from '../../build/modules/challenge/ledger/sends.js'
import { defaultLimits, defaultTimeouts, signInLimitsOf } from '../../build/modules/challenge/limits.js'
import { newChallengeId, newCommandId } from '../../build/modules/challenge/updater.js'

export { reserve } from '../../build/modules/challenge/ledger/attempts.js'
export { settle } from '../../build/modules/challenge/ledger/settlement.js'
export { memoryStore } from '../../build/modules/store/memory-store.js'

export const limits = signInLimitsOf({ ...defaultLimits, ...defaultTimeouts }, { browsersAreKnown: false })

const keys = createKeys('', createSecrets(['a secret of at least thirty-two bytes']))

export const keyOf = (index) => keys.account(`u${index}`)

export const findFactor = (index) => keys.number(`+57300${1_000_000 + index}`)

export const bindingOf = (index) => ({ browserKind: 'unknown', session: hashId(`s${index}`) })

export const ledgersOf = (store) => createLedgers({ store, now: Date.now, emit() {} })

export async function fill(ledgers, count) {
  for (let index = 0; index < count; index += 1) {
    const binding = { ...bindingOf(index), purpose: 'login' }
    const ids = { sendId: newCommandId(), challengeId: newChallengeId() }
    const order = { ...ids, ...binding, factor: findFactor(index), channel: 'sms' }
    const updater = ledgers(keyOf(index), limits)
    const { outcome } = await updater.run((view) => start(view, order))
    await updater.run((view) => settleSend(view, outcome, { result: 'sent' }))
  }
}
