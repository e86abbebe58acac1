import type { Awaitable } from '../store/store.js'
import type { Channel } from './code-service.js'

/** What success leaves behind. */
export interface Grant {
  readonly subject: string
  readonly purpose: string
  /** When the code was approved, in milliseconds since 1970. */
  readonly verifiedAt: number
  /** What proved it. */
  readonly method: Channel | 'trusted-device' | 'host'
}

/** Whose grant, for what. `session` is the host's session id, `bound` the hash of the bound fields. */
export interface GrantQuery {
  readonly subject: string
  readonly session: string
  readonly purpose: string
  readonly bound?: string
}

export interface NewGrant extends GrantQuery {
  readonly method: Grant['method']
  /** The id that the session had before it was renewed: its grants move along. */
  readonly previousSession?: string
}

export interface Grants {
  /** The grant that fits and is younger than `maxAgeMs`. One store read, and no promise when the store needs none. */
  read(query: GrantQuery & { readonly maxAgeMs: number }): Awaitable<Grant | undefined>
  /** As `read`, and removes it: of two parallel requests one gets it. */
  take(query: GrantQuery & { readonly maxAgeMs: number }): Promise<Grant | undefined>
  write(grant: NewGrant): Promise<Grant>
  /** Ends all grants of this session. */
  revoke(query: { readonly subject: string; readonly session: string }): Promise<void>
  /** Ends all grants of this subject, in every session. */
  revokeSubject(subject: string): Promise<void>
}
