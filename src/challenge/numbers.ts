import type { Emit } from '../events.js'
import { type PhoneNumber, parsePhoneNumber } from '../phone-number.js'
import type { Keys } from './keys.js'
import { enable, isDisabled, ledgerLimitsOf } from './ledger/ledger.js'
import type { Ledgers } from './ledger/ledgers.js'
import type { Limits } from './limits.js'

/** What an operator may ask about a number on file. */
export interface NumberState {
  readonly locked: boolean
  /** Milliseconds until the lock ends; 0 when not locked. */
  readonly lockedForMs: number
  readonly disabled: boolean
  /** Attempts since the last success. */
  readonly failures: number
}

/** The operator's side of a number on file. Throws a TypeError for a text that is no number. */
export interface Numbers {
  state(phone: string): Promise<NumberState>
  /** Lifts a disabled or locked number. */
  enable(phone: string): Promise<void>
}

export function createNumbers(parts: {
  readonly ledgers: Ledgers
  readonly keys: Keys
  readonly limits: Limits
  readonly emit: Emit
}): Numbers {
  const { ledgers, keys, emit } = parts
  const limits = ledgerLimitsOf(parts.limits, 'auth')
  const keyOf = async (phone: string) => keys.ledger('auth', await numberFrom(phone))

  return {
    async state(phone) {
      const { ledger, now } = await ledgers.read(await keyOf(phone))
      const lockedForMs = Math.max(0, ledger.lockedUntil - now)
      return {
        locked: lockedForMs > 0,
        lockedForMs,
        disabled: isDisabled(ledger, limits),
        failures: ledger.failures,
      }
    },
    async enable(phone) {
      await ledgers.updater(await keyOf(phone), limits).run(enable)
      emit({ type: 'number.enabled' })
    },
  }
}

async function numberFrom(text: string): Promise<PhoneNumber> {
  const parsed = await parsePhoneNumber(text, { countries: 'any' })
  if (parsed.ok) return parsed.phone
  throw new TypeError('phone must be one number in international form, such as +573001234567')
}
