import { randomUUID } from 'node:crypto'
import type { Account } from '../account.js'
import { digitsOf } from '../numbers.js'
import type { Handlers } from './service.js'

/** Creates the operations on the account: its credits and its blocked numbers. */
export function accountOperations(account: Account): Pick<Handlers, 'balance' | 'blockPhone'> {
  return {
    balance: () => ({ status: account.credits(), balance: account.credits() }),

    blockPhone({ phone, name = '', channel = 'SMS' }) {
      const entry = { id: randomUUID(), phone: digitsOf(phone), name, channel }
      account.block(entry)
      return { ...entry, status: 'blocked' }
    },
  }
}
