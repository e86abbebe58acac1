import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

/** Fills stores with ledgers, each with a sent challenge, by the compiled package in a folder. */
export async function sentChallenges(dir) {
  const load = (path) => import(pathToFileURL(join(dir, path)).href)
  const { createLedgers } = await load('challenge/ledger/ledgers.js')
  const { start } = await load('challenge/ledger/sends.js')
  const { settleSend } = await load('challenge/ledger/settled-send.js')
  const { newChallengeId, newCommandId } = await load('challenge/updater.js')
  const { createKeys, hashId } = await load('challenge/keys.js')
  const { createSecrets } = await load('challenge/secrets.js')
  const { ledgerLimitsOf } = await load('challenge/limits.js')
  const { defaultLimits } = await load('options/limits.js')

  const limits = ledgerLimitsOf(defaultLimits, 'auth')
  const keys = createKeys('', createSecrets(['a secret of at least thirty-two bytes']))
  const keyOf = (index) => keys.ledger('auth', `+57300${1_000_000 + index}`)
  const bindingOf = (index) => ({
    budget: 'strangers',
    session: hashId(`s${index}`),
    subject: hashId(`u${index}`),
  })
  const ledgersOf = (store) => createLedgers({ store, now: Date.now, emit() {} })

  async function fill(ledgers, count) {
    for (let index = 0; index < count; index += 1) {
      const binding = { ...bindingOf(index), purpose: 'login' }
      const order = { sendId: newCommandId(), challengeId: newChallengeId(), binding, channel: 'sms' }
      const sent = { result: 'sent', lifetimeMs: limits.codeLifetimeMs }
      const updater = ledgers(keyOf(index), limits)
      await updater.run((ledger, now) => start(ledger, order, now, limits))
      await updater.run((ledger, now) => settleSend(ledger, order.sendId, sent, now, limits))
    }
  }

  return { limits, fill, keyOf, bindingOf, ledgersOf }
}
