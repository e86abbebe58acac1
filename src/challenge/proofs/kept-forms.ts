import { randomBytes } from 'node:crypto'
import { minuteMs } from '../../lib/time.js'
import type { Store } from '../../store/store.js'
import { networksOf, timesBehindProxy } from '../budgets/networks.js'
import type { Details } from '../code-provider.js'
import { hashId, type Keys } from '../keys.js'
import type { Secrets } from '../secrets.js'
import { type Update, update } from '../updater.js'
import type { RequiredGrant } from './grants.js'

/** A form that a guard has interrupted. */
export interface KeptForm {
  /** The path with its query that it was posted to. */
  readonly action: string
  /** URL-encoded, its fields in their order. */
  readonly body: string
  readonly details?: Details | undefined
  /** Tag of the session that it was posted in. */
  readonly session: string
  /** The proof that it waits for: nobody sees it without. */
  readonly required: Omit<RequiredGrant, 'session'>
  /** The guard cannot see when it comes back, because nobody parses it before: to be shown once. */
  readonly once?: boolean
}

/** A form of this subject; without `form` it has been sent. */
export interface FoundForm {
  readonly form?: KeptForm | undefined
}

/** Where a form came from, as limits by address count it. */
interface Origin {
  readonly address: string
  readonly proxied: boolean
}

/** Kept by an id that nobody guesses, so that a form outlives the renewal of its session. */
export interface KeptForms {
  /** Returns the id to find it by; undefined where its subject or its address has its share of the store. */
  keep(form: KeptForm, origin: Origin): Promise<string | undefined>
  /** Undefined where it belongs to somebody else. */
  find(subject: string, id: string): Promise<FoundForm | undefined>
  /** Forgets it; false when it did not wait: of two parallel requests one gets it. */
  take(subject: string, id: string): Promise<boolean>
  /** Leaves nothing of it but that it was sent. */
  markSent(subject: string, id: string): Promise<boolean>
}

/** Sealed, because forms hold whatever people type. Emptied and not removed: a command sent twice recognizes itself. */
type Stored = { readonly sealed?: string }
type Kept = FoundForm & { readonly subject: string; readonly expiresAt: number }

const lifetimeMs = 10 * minuteMs
const idBytes = 16
/** In base64url. Keys are remembered: whatever else a request calls an id must not fill the memory. */
const idLength = Math.ceil((idBytes * 8) / 6)

/** Of one lifetime, for a few tabs: one account that is interrupted again and again must not fill the store (denial of service). */
const maxPerSubject = 9

/** A tenth of the memory store: nor must somebody with many accounts. Those behind one proxy share ten times as much. */
const maxPerAddress = 100

export function createKeptForms(parts: {
  readonly store: Store
  readonly keys: Keys
  readonly secrets: Secrets
  readonly now: () => number
}): KeptForms {
  const { store, keys, secrets, now } = parts

  /** Namespace and id are associated data: an entry copied to another id does not open. */
  function opened(stored: Stored | undefined, subject: string, id: string): Kept | undefined {
    const json = stored?.sealed && secrets.open('form', stored.sealed, keys.forms(id))
    const kept = json ? (JSON.parse(json) as Kept) : undefined
    // IDOR: another account in the same session must not read it, nor use it up.
    return kept !== undefined && kept.subject === subject && now() < kept.expiresAt ? kept : undefined
  }

  function put(id: string, kept: Omit<Kept, 'expiresAt'> | undefined) {
    const json = kept && JSON.stringify({ ...kept, expiresAt: now() + lifetimeMs })
    const value: Stored = json ? { sealed: secrets.seal('form', json, keys.forms(id)) } : {}
    return { value, ttlMs: lifetimeMs }
  }

  /** Puts something else, or nothing, in the place of a form that waits; false when it does not wait. */
  async function replace(subject: string, id: string, by?: Omit<Kept, 'expiresAt'>): Promise<boolean> {
    if (id.length !== idLength) return false
    return update(store, keys.forms(id), (stored: Stored | undefined): Update<Stored, boolean> => {
      const waits = opened(stored, subject, id)?.form !== undefined
      return waits ? { outcome: true, put: put(id, by) } : { outcome: false }
    })
  }

  /** Whether subject and address may have one more. */
  async function hasShare(subject: string, { address, proxied }: Origin): Promise<boolean> {
    // In this order: what an account is refused must not use up the share of its address.
    const ofSubject = await store.increment(keys.counter('count-auth-forms', hashId(subject)), lifetimeMs)
    if (ofSubject.count > maxPerSubject) return false
    const key = keys.counter('count-auth-address-forms', hashId(networksOf(address)[0].name))
    const ofAddress = await store.increment(key, lifetimeMs)
    return ofAddress.count <= maxPerAddress * (proxied ? timesBehindProxy : 1)
  }

  return {
    async keep(form, origin) {
      const { subject } = form.required
      if (!(await hasShare(subject, origin))) return undefined
      const id = randomBytes(idBytes).toString('base64url')
      await update(store, keys.forms(id), () => ({ outcome: undefined, put: put(id, { subject, form }) }))
      return id
    },

    async find(subject, id) {
      if (id.length !== idLength) return undefined
      const entry = await store.read(keys.forms(id))
      const kept = opened(entry?.value as Stored | undefined, subject, id)
      return kept && { form: kept.form }
    },

    take: (subject, id) => replace(subject, id),
    markSent: (subject, id) => replace(subject, id, { subject }),
  }
}
