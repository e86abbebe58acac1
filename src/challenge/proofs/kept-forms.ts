import { randomBytes } from 'node:crypto'
import { minuteMs } from '../../lib/time.js'
import type { Store } from '../../store/store.js'
import type { Details } from '../code-provider.js'
import { hashId, type Keys } from '../keys.js'
import type { Secrets } from '../secrets.js'
import { unchanged, update } from '../updater.js'
import type { RequiredGrant } from './grants.js'

/** A form that a guard has interrupted. */
export interface KeptForm {
  /** The path with its query that it was posted to. */
  readonly action: string
  /** URL-encoded, its fields in their order. */
  readonly body: string
  readonly details?: Details | undefined
  /** The proof that it waits for: nobody sees it without. */
  readonly required: Omit<RequiredGrant, 'session'>
}

export interface KeptForms {
  /**
   * Returns the id to take it by; undefined past the limit of its subject. An earlier form of this session for
   * the same path is forgotten.
   */
  keep(session: string, form: KeptForm): Promise<string | undefined>
  /** Hands it out once: of two parallel requests one gets it. */
  take(session: string, id: string): Promise<KeptForm | undefined>
  /** Takes the forms along when the session id is renewed. The old id is invalid then. */
  move(from: string, to: string): Promise<void>
}

/** Sealed, because forms hold whatever people type. */
type Stored = { readonly sealed: string }
type Waiting = KeptForm & { readonly id: string; readonly expiresAt: number }

const lifetimeMs = 10 * minuteMs

/** One per tab, for a few tabs: a session must not fill the store. */
const maxPerSession = 3

/** Within one lifetime, over all sessions: one account that signs in again and again must not fill it either (denial of service). */
const maxPerSubject = 30

export function createKeptForms(parts: {
  readonly store: Store
  readonly keys: Keys
  readonly secrets: Secrets
  readonly now: () => number
}): KeptForms {
  const { store, keys, secrets, now } = parts

  /** Namespace and session are associated data: an entry copied to another session does not open. */
  function open(stored: Stored | undefined, session: string): readonly Waiting[] {
    const json = stored && secrets.open('form', stored.sealed, keys.forms(session))
    const waiting = JSON.parse(json ?? '[]') as readonly Waiting[]
    return waiting.filter(({ expiresAt }) => now() < expiresAt)
  }

  function seal(session: string, waiting: readonly Waiting[]) {
    const sealed = secrets.seal('form', JSON.stringify(waiting), keys.forms(session))
    // Emptied and not removed, so that a command sent twice recognizes itself.
    return { value: { sealed }, ttlMs: lifetimeMs }
  }

  const add = (session: string, added: readonly Waiting[]): Promise<void> =>
    update(store, keys.forms(session), (stored: Stored | undefined) => {
      const others = open(stored, session).filter(({ action }) => !added.some((one) => one.action === action))
      return { outcome: undefined, put: seal(session, [...others, ...added].slice(-maxPerSession)) }
    })

  return {
    async keep(session, form) {
      const holder = hashId(form.required.subject)
      const { count } = await store.increment(keys.counter('count-auth-forms', holder), lifetimeMs)
      if (count > maxPerSubject) return undefined
      const id = randomBytes(16).toString('base64url')
      await add(session, [{ ...form, id, expiresAt: now() + lifetimeMs }])
      return id
    },

    take: (session, id) =>
      update(store, keys.forms(session), (stored: Stored | undefined) => {
        const waiting = open(stored, session)
        const taken = waiting.find((one) => one.id === id)
        if (taken === undefined) return unchanged
        const { id: _id, expiresAt: _expiresAt, ...form } = taken
        const left = waiting.filter((one) => one !== taken)
        return { outcome: form, put: seal(session, left) }
      }),

    async move(from, to) {
      const moved = await update(store, keys.forms(from), (stored: Stored | undefined) => {
        const waiting = open(stored, from)
        return waiting.length === 0 ? { outcome: waiting } : { outcome: waiting, put: seal(from, []) }
      })
      if (moved.length > 0) await add(to, moved)
    },
  }
}
