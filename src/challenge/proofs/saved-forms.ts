import { randomBytes } from 'node:crypto'
import { minuteMs } from '../../lib/time.js'
import type { Details } from '../exchange/code-provider.js'
import { type DomainServices, hashId } from '../keys.js'
import { type ClientAddress, networksOf, timesBehindProxy } from '../rate-limits/networks.js'
import { createSealed } from '../updater.js'
import type { GrantQuery } from './stored-grant.js'

/** A form that a guard interrupted. */
export interface SavedForm {
  /** Path and query to which it was posted. */
  readonly action: string
  /** URL-encoded fields in their order. */
  readonly body: string
  readonly details?: Details | undefined
  /** Tag of the session that posted it. */
  readonly session: string
  /** The grant that is required to see and send it. */
  readonly required: Omit<GrantQuery, 'session'>
  /** True if the session had a grant of a sign-in. */
  readonly isSignedIn: boolean
}

/** A saved form of this account. Without `form` it was already sent. */
export interface FoundForm {
  readonly form?: SavedForm | undefined
}

type StoredForm = FoundForm & { readonly subject: string; readonly expiresAt: number }

const lifetimeMs = 10 * minuteMs
const idBytes = 16
/** Length in base64url. Keys are memoized, so other texts that a request passes as an id must not fill the memory. */
const idLength = Math.ceil((idBytes * 8) / 6)

/**
 * Maximum forms per account and lifetime, for a few tabs. An account that is interrupted again and again must not fill
 * the store (denial of service). An attacker with the password alone has a separate share and cannot use the owner's.
 */
const maxPerSubject = 9

/**
 * A tenth of the memory store, so that an attacker with many accounts cannot fill it. Clients behind one proxy share
 * ten times as much.
 */
const maxPerAddress = 100

/** Stores forms by an id that cannot be guessed, so that a form survives the renewal of its session. */
export function createSavedForms(parts: DomainServices) {
  const { store, keys, now } = parts
  const entries = createSealed<StoredForm>('form', parts)

  /** Replaces a form of this account that still waits. Returns whether it was already sent. */
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

  /** Returns whether account and address may save one more form. */
  async function hasShare(
    { required: { subject }, isSignedIn }: SavedForm,
    { address, proxied }: ClientAddress,
  ): Promise<boolean> {
    // In this order: a form refused for the account must not use the share of its address.
    const owner = hashId(`${isSignedIn ? 'signed in' : 'pending'} ${subject}`)
    const ofSubject = await store.increment(keys.counter('count-auth-forms', owner), lifetimeMs)
    if (ofSubject.count > maxPerSubject) return false
    const key = keys.counter('count-auth-address-forms', hashId(networksOf(address).customer))
    const ofAddress = await store.increment(key, lifetimeMs)
    return ofAddress.count <= maxPerAddress * (proxied ? timesBehindProxy : 1)
  }

  return {
    /** Saves a form and returns its id, or undefined if the account or address has used its share. */
    async save(form: SavedForm, from: ClientAddress): Promise<string | undefined> {
      const { subject } = form.required
      if (!(await hasShare(form, from))) return undefined
      const id = randomBytes(idBytes).toString('base64url')
      await entries.change(keys.forms(id), () => ({ outcome: undefined, put: keptFor(subject, { form }) }))
      return id
    },

    /** Finds a form. Returns undefined if it belongs to another account. */
    async find(subject: string, id: string): Promise<FoundForm | undefined> {
      if (id.length !== idLength) return undefined
      const kept = await entries.read(keys.forms(id))
      return isOf(subject, kept) ? { form: kept.form } : undefined
    },

    /** Removes a form. Returns true if it was already sent; that fact stays stored. */
    forget: (subject: string, id: string) => replace(subject, id),
    /** Replaces a form by the fact that it was sent. */
    markSent: (subject: string, id: string) => replace(subject, id, {}),
  }
}

/** Another account in the same session must neither read the form nor use it up (IDOR). */
const isOf = (subject: string, kept: StoredForm | undefined): kept is StoredForm => kept?.subject === subject
