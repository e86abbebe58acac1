import { randomBytes } from 'node:crypto'
import { minuteMs } from '../../lib/time.js'
import type { Store } from '../../store/store.js'
import { networksOf } from '../budgets/networks.js'
import type { Details } from '../code-provider.js'
import { hashId, type Keys } from '../keys.js'
import type { Secrets } from '../secrets.js'
import { update } from '../updater.js'
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
  /** The guard cannot see when it comes back, because nobody parses it before: to be shown once. */
  readonly once?: boolean
}

/** A form of this subject; without `form` it has been sent. */
export interface FoundForm {
  readonly subject: string
  readonly form?: KeptForm
}

/** Where a form came from, as limits by address count it. */
interface Origin {
  readonly address: string
  readonly proxied: boolean
}

export interface KeptForms {
  /**
   * Returns the id to find it by; undefined where its subject or its address has its share of the store. An earlier
   * form of this session for the same path is forgotten.
   */
  keep(session: string, form: KeptForm, origin: Origin): Promise<string | undefined>
  find(session: string, id: string): Promise<FoundForm | undefined>
  /** Forgets it; false when it was not there: of two parallel requests one gets it. */
  take(session: string, id: string): Promise<boolean>
  /** Leaves nothing of it but that it was sent. */
  markSent(session: string, subject: string, id: string): Promise<void>
  /** Takes the forms along when the session id is renewed. The old id is invalid then. */
  move(from: string, to: string): Promise<void>
}

type Stored = {
  /** Because forms hold whatever people type. */
  readonly sealed: string
  /** Until when this session counts in the shares of its subject and address. */
  readonly countedUntil?: number | undefined
}
type Kept = FoundForm & { readonly id: string; readonly expiresAt: number }

const lifetimeMs = 10 * minuteMs

/** One per tab, for a few tabs: a session must not fill the store. As many are remembered that were sent. */
const maxPerSession = 3

/** Sessions with a form within one lifetime: one account that signs in again and again must not fill it either (denial of service). */
const maxPerSubject = 3

/** A tenth of the memory store: nor must somebody with many accounts. Those behind one proxy share ten times as much. */
const maxPerAddress = 100
const timesBehindProxy = 10

export function createKeptForms(parts: {
  readonly store: Store
  readonly keys: Keys
  readonly secrets: Secrets
  readonly now: () => number
}): KeptForms {
  const { store, keys, secrets, now } = parts

  /** Namespace and session are associated data: an entry copied to another session does not open. */
  function open(stored: Stored | undefined, session: string): readonly Kept[] {
    const json = stored && secrets.open('form', stored.sealed, keys.forms(session))
    const kept = JSON.parse(json ?? '[]') as readonly Kept[]
    return kept.filter(({ expiresAt }) => now() < expiresAt)
  }

  function seal(session: string, kept: readonly Kept[], countedUntil?: number) {
    const sealed = secrets.seal('form', JSON.stringify(kept), keys.forms(session))
    // Emptied and not removed, so that a command sent twice recognizes itself.
    return { value: { sealed, countedUntil }, ttlMs: lifetimeMs }
  }

  const read = async (session: string): Promise<Stored | undefined> =>
    (await store.read(keys.forms(session)))?.value as Stored | undefined

  const isCounted = ({ countedUntil = 0 }: Partial<Stored> = {}) => now() < countedUntil

  const add = (session: string, added: readonly Kept[], countedUntil: number | undefined): Promise<void> =>
    update(store, keys.forms(session), (stored: Stored | undefined) => {
      const isReplaced = ({ form }: Kept) => form && added.some((one) => one.form?.action === form.action)
      const all = [...open(stored, session).filter((one) => !isReplaced(one)), ...added]
      const sent = all.filter(({ form }) => form === undefined).slice(-maxPerSession)
      const waiting = all.filter(({ form }) => form !== undefined).slice(-maxPerSession)
      return { outcome: undefined, put: seal(session, [...sent, ...waiting], countedUntil) }
    })

  /** Puts another entry, or none, in the place of one that waits; false when it does not wait. */
  const replace = (session: string, id: string, by: (kept: Kept) => readonly Kept[]): Promise<boolean> =>
    update(store, keys.forms(session), (stored: Stored | undefined) => {
      const all = open(stored, session)
      const waits = all.find((one) => one.id === id && one.form !== undefined)
      if (waits === undefined) return { outcome: false }
      return {
        outcome: true,
        put: seal(
          session,
          all.flatMap((one) => (one === waits ? by(one) : [one])),
          stored?.countedUntil,
        ),
      }
    })

  /** Whether subject and address may have one more session with forms. */
  async function hasShare(subject: string, { address, proxied }: Origin): Promise<boolean> {
    const isWithin = async (
      kind: 'count-auth-forms' | 'count-auth-address-forms',
      holder: string,
      max: number,
    ) => (await store.increment(keys.counter(kind, hashId(holder)), lifetimeMs)).count <= max
    // In this order: what an account is refused must not use up the share of its address.
    if (!(await isWithin('count-auth-forms', subject, maxPerSubject))) return false
    const [network] = networksOf(address)
    const max = maxPerAddress * (proxied ? timesBehindProxy : 1)
    return isWithin('count-auth-address-forms', network.name, max)
  }

  return {
    async keep(session, form, origin) {
      const { subject } = form.required
      const stored = await read(session)
      // Again after each lifetime, whatever waits there: sessions that are kept alive would add up.
      if (!isCounted(stored) && !(await hasShare(subject, origin))) return undefined
      const expiresAt = now() + lifetimeMs
      const id = randomBytes(16).toString('base64url')
      await add(
        session,
        [{ id, subject, form, expiresAt }],
        isCounted(stored) ? stored?.countedUntil : expiresAt,
      )
      return id
    },

    async find(session, id) {
      const found = open(await read(session), session).find((one) => one.id === id)
      return found && { subject: found.subject, ...(found.form && { form: found.form }) }
    },

    take: (session, id) => replace(session, id, () => []),

    async markSent(session, subject, id) {
      await replace(session, id, (kept) =>
        kept.subject === subject ? [{ id, subject, expiresAt: now() + lifetimeMs }] : [kept],
      )
    },

    async move(from, to) {
      const moved = await update(store, keys.forms(from), (stored: Stored | undefined) => {
        const outcome = { all: open(stored, from), countedUntil: stored?.countedUntil }
        return outcome.all.length === 0 && !isCounted(stored)
          ? { outcome: undefined }
          : { outcome, put: seal(from, []) }
      })
      if (moved !== undefined) await add(to, moved.all, moved.countedUntil)
    },
  }
}
