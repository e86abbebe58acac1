import { randomBytes } from 'node:crypto'
import { minuteMs } from '../../lib/time.js'
import type { Details } from '../exchange/code-provider.js'
import { type DomainServices, hashId } from '../keys.js'
import { type ClientAddress, networksOf, timesBehindProxy } from '../rate-limits/networks.js'
import { createSealed } from '../updater.js'
import type { GrantQuery } from './stored-grant.js'

/** A form that a guard has interrupted. */
export interface SavedForm {
  /** The path with its query that it was posted to. */
  readonly action: string
  /** URL-encoded, its fields in their order. */
  readonly body: string
  readonly details?: Details | undefined
  /** Tag of the session that it was posted in. */
  readonly session: string
  /** The proof that it waits for: nobody sees it without. */
  readonly required: Omit<GrantQuery, 'session'>
  /** Whether the session had the proof of a sign-in. */
  readonly isSignedIn: boolean
}

/** A form of this subject; without `form` it has been sent. */
export interface FoundForm {
  readonly form?: SavedForm | undefined
}

type StoredForm = FoundForm & { readonly subject: string; readonly expiresAt: number }

const lifetimeMs = 10 * minuteMs
const idBytes = 16
/** In base64url. Keys are remembered: whatever else a request calls an id must not fill the memory. */
const idLength = Math.ceil((idBytes * 8) / 6)

/**
 * Of one lifetime, for a few tabs: one account that is interrupted again and again must not fill the store (denial of
 * service). Whoever has nothing but the password has a share of their own, and takes nothing from the person.
 */
const maxPerSubject = 9

/** A tenth of the memory store: nor must somebody with many accounts. Those behind one proxy share ten times as much. */
const maxPerAddress = 100

/** Kept by an id that nobody guesses, so that a form outlives the renewal of its session. */
export function createSavedForms(parts: DomainServices) {
  const { store, keys, now } = parts
  const entries = createSealed<StoredForm>('form', parts)

  /** Replaces a form of this subject that still waits. Returns whether it was sent already. */
  async function replace(subject: string, id: string, by?: FoundForm): Promise<boolean> {
    if (id.length !== idLength) return false
    return entries.change(keys.forms(id), (kept) => {
      if (!isOf(subject, kept)) return { outcome: false }
      if (kept.form === undefined) return { outcome: true }
      return by ? { outcome: false, put: keptFor(subject, by) } : { outcome: false, isEmptied: true }
    })
  }

  const keptFor = (subject: string, found: FoundForm): StoredForm => {
    return { ...found, subject, expiresAt: now() + lifetimeMs }
  }

  /** Whether subject and address may have one more. */
  async function hasShare(
    { required: { subject }, isSignedIn }: SavedForm,
    { address, proxied }: ClientAddress,
  ): Promise<boolean> {
    // In this order: what an account is refused must not use up the share of its address.
    const owner = hashId(`${isSignedIn ? 'signed in' : 'pending'} ${subject}`)
    const ofSubject = await store.increment(keys.counter('count-auth-forms', owner), lifetimeMs)
    if (ofSubject.count > maxPerSubject) return false
    const key = keys.counter('count-auth-address-forms', hashId(networksOf(address).customer))
    const ofAddress = await store.increment(key, lifetimeMs)
    return ofAddress.count <= maxPerAddress * (proxied ? timesBehindProxy : 1)
  }

  return {
    /** Returns the id to find it by; undefined where its subject or its address has its share of the store. */
    async save(form: SavedForm, from: ClientAddress): Promise<string | undefined> {
      const { subject } = form.required
      if (!(await hasShare(form, from))) return undefined
      const id = randomBytes(idBytes).toString('base64url')
      await entries.change(keys.forms(id), () => ({ outcome: undefined, put: keptFor(subject, { form }) }))
      return id
    },

    /** Undefined where it belongs to somebody else. */
    async find(subject: string, id: string): Promise<FoundForm | undefined> {
      if (id.length !== idLength) return undefined
      const kept = await entries.read(keys.forms(id))
      return isOf(subject, kept) ? { form: kept.form } : undefined
    },

    /** Leaves nothing of it. True where it was sent already, which stays known. */
    forget: (subject: string, id: string) => replace(subject, id),
    /** Leaves nothing of it but that it was sent. */
    markSent: (subject: string, id: string) => replace(subject, id, {}),
  }
}

/** IDOR: another account in the same session must not read it, nor use it up. */
const isOf = (subject: string, kept: StoredForm | undefined): kept is StoredForm => kept?.subject === subject
