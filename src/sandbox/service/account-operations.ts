import { randomUUID } from 'node:crypto'
import type { Account } from '../account.js'
import { digitsOf } from '../numbers.js'
import type { Responder } from './responder.js'
import type { Handlers } from './service.js'

/** The operations on the account: its credits and its blocked numbers. */
export function accountOperations(
  account: Account,
  responder: Responder,
): Pick<Handlers, 'balance' | 'blockPhone'> {
  return {
    balance: () => ({ body: responder.balance(account.credits()) }),

    blockPhone({ phone, name, channel }) {
      const entry = { id: randomUUID(), phone: digitsOf(phone), name: name ?? '', channel: channel ?? 'SMS' }
      account.block(entry)
      return { body: responder.blocked(entry) }
    },
  }
}
