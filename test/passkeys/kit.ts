import * as webauthn from '@simplewebauthn/server'
import {
  type PasskeysOptions,
  type PasskeyUse,
  passkeys,
  type StoredPasskey,
} from '../../src/passkeys/index.js'
import { type HostOptions, startHost } from '../express/kit.js'
import { createAuthenticator } from './authenticator.js'

export const origin = 'https://acme.example'

/** Options of passkeys without any. */
export const passkeysOptions: PasskeysOptions = {
  webauthn,
  rpName: 'Acme',
  origin,
  list: () => [],
  save: () => true,
  rename: () => true,
  remove: () => undefined,
  used: () => undefined,
}

/** A table of passkeys, with the passkeys on it. */
export function createPasskeys(options: Partial<PasskeysOptions> = {}) {
  const table = new Map<string, StoredPasskey & { readonly subject: string }>()
  /** Errors that these functions throw. */
  const failing: { list?: Error; used?: Error } = {}
  const keys = passkeys({
    ...passkeysOptions,
    async list(subject) {
      if (failing.list) throw failing.list
      return [...table.values()].filter((one) => one.subject === subject)
    },
    async save(subject, passkey) {
      if (table.has(passkey.id)) return false
      // As a database returns a column without a value.
      table.set(passkey.id, { ...passkey, usedAt: null, subject })
      return true
    },
    async rename(subject, id, label) {
      const stored = table.get(id)
      if (stored?.subject !== subject) return false
      table.set(id, { ...stored, label })
      return true
    },
    remove: async (subject, id) => table.get(id)?.subject === subject && table.delete(id),
    async used(subject, id, taken) {
      if (failing.used) throw failing.used
      return use(subject, id, taken)
    },
    ...options,
  })
  /** Stores a use in one step. */
  function use(subject: string, id: string, { counter, usedAt }: PasskeyUse): boolean {
    const stored = table.get(id)
    const isLower =
      stored !== undefined && (stored.counter < counter || (stored.counter === 0 && counter === 0))
    if (stored?.subject !== subject || !isLower) return false
    return table.set(id, { ...stored, counter, usedAt }).size > 0
  }
  /** Gives an account a passkey of a new authenticator. */
  async function give(subject: string, { origin: at = origin, counts = true } = {}) {
    const authenticator = createAuthenticator(at, { counts })
    const challenge = 'a-challenge-of-the-test'
    const response = authenticator.create({ challenge, rp: { id: 'acme.example' } })
    await keys.create(subject, { challenge, response, label: 'Phone' })
    return authenticator
  }
  return { keys, table, failing, give, use }
}

/** A host that accepts passkeys. Ana has a number and a passkey, Zoe only a passkey, Ben only a number. */
export async function startPasskeyHost({ options, ...more }: HostOptions = {}, of = createPasskeys()) {
  const host = await startHost({ listens: true, ...more, options: { passkeys: of.keys, ...options } })
  const ofAna = await of.give('ana')
  const ofZoe = await of.give('zoe')
  return { ...of, host, events: host.events, ofAna, ofZoe }
}
