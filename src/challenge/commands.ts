import type { ProblemCode } from '../errors.js'
import type { LimitName } from '../events.js'
import type { Awaitable } from '../lib/promises.js'
import type { PhoneNumber, PhoneRefusal } from '../phone-number.js'
import type { Channel, Details } from './exchange/code-provider.js'
import type { Lane } from './limits.js'
import type { OnFile } from './reach/destinations.js'

/** What an entry of the store says. Nothing is read until somebody asks, and nothing twice. */
export interface Fact<Value> {
  read(): Awaitable<Value>
}

/** Who asks: an account in one session, both by the host's own ids. */
export interface Requester {
  readonly subject: string
  readonly session: string
}

/**
 * Who acts, from where, on which number. What a decision goes by is read in `gather`, with the ledger; a fact that is
 * needed earlier has been read by then, and is not read again.
 */
export interface RequesterContext extends OnFile, Requester {
  /** Default `auth`. */
  readonly lane?: Lane | undefined
  /** The owner of the challenge in place of subject and session, where both may change meanwhile: at a signup. */
  readonly visitor?: Fact<string> | undefined
  /** ISO 3166 code for a number typed without its country code. */
  readonly country?: string | undefined
  /** Network address, for the counters by address; absent: not counted. */
  readonly address?: string | undefined
  /** Absent: browsers are not told apart, as at a call without one. */
  readonly browser?: { isKnown(): Awaitable<boolean> } | undefined
  /** The last revocation of this subject in this session; absent: nobody looks for one. */
  readonly record?: Fact<string | undefined> | undefined
  /** Whether the address may be that of a proxy: all clients behind it share ten times the limit. */
  readonly proxied?: boolean | undefined
  /** Is given what to call once nobody waits for the outcome any more; absent: somebody always does. */
  readonly onGone?: ((leave: () => void) => void) | undefined
}

/** How a code reaches the person. */
export interface SendCommand extends RequesterContext {
  readonly channel?: Channel | undefined
  /** The kinds that will do, of `code` and `app`; both when absent. */
  readonly methods?: readonly string[] | undefined
  /** Language tag of the message, for providers that write it themselves. Default `en`. */
  readonly locale?: string | undefined
  /** What the code confirms, for providers that include it in the message. */
  readonly details?: Details | undefined
  readonly beforeSend?: BeforeSend | undefined
  /** Called once every check was passed, before anything is sent. If it fails, nothing is. */
  readonly onPassed?: (() => Promise<void>) | undefined
}

export interface StartCommand extends SendCommand {
  readonly purpose: string
  /** Where to, by the `id` of a destination; by default the first one that takes the channel. */
  readonly destination?: string | undefined
  /** Hash of the bound fields, from `hashBoundFields`. */
  readonly bound?: string | undefined
  /** Nobody asked for the code: it replaces no live one, whichever session that is in. */
  readonly isAutomatic?: true | undefined
}

/**
 * What the person was shown with a code, and so what the code may approve. All that it says must be true of the
 * live challenge; one that says nothing means a sign-in.
 */
export interface ChallengeRef {
  /** Id of the challenge. */
  readonly challenge?: string | undefined
  /** What it is for. */
  readonly purpose?: string | undefined
  /** Hash of the bound fields. A purpose without it means that none are bound. */
  readonly bound?: string | undefined
}

/** Details are those of the start: they stay with the challenge. */
export interface ResendCommand extends Omit<SendCommand, 'details'> {
  readonly shown?: ChallengeRef | undefined
}

/** The host's word about one send, where it has more to say than yes or no. */
export interface SendDecision {
  /** Anything but `true` refuses. */
  readonly allow: boolean
  /** Why, for the event `request.refused`; whoever asked for the code is not told. At most 200 characters, long numbers masked. */
  readonly reason?: string | undefined
  /** How the code shall go out instead, such as `call`: one of `channels`. Any other refuses. */
  readonly method?: Channel | undefined
}

/** A country in which too few sign-ups are completed, in the UTC hour or day that runs. */
export interface Suspicion {
  /** ISO 3166 code; where an operator is told, `all` for the sum over all countries, too. */
  readonly country: string
  /** Codes sent to numbers that were not yet proven. */
  readonly sent: number
  /** Numbers that were proven. */
  readonly approved: number
}

/**
 * The host's decision before anything is booked: anything but `true`, or `allow: true`, refuses, and the start changes
 * nothing. Of parallel requests more than one may call it; one of them sends.
 */
export type BeforeSend = (send: {
  readonly subject: string
  readonly destination: PhoneNumber
  readonly channel: Channel
  /** How it may go out as well: what the request accepts. */
  readonly channels: readonly Channel[]
  readonly purpose: string
  /** At a sign-up, when those of its country look like SMS pumping: ask for a captcha, say. */
  readonly suspicion?: Suspicion | undefined
}) => Awaitable<boolean | SendDecision>

export interface VerifyCommand extends RequesterContext {
  /** As typed, spaces and hyphens stripped; undefined for what no code that is sent looks like. */
  readonly code: string | undefined
  /** The same as a code of an app; undefined for what none looks like. */
  readonly appCode?: string | undefined
  readonly shown?: ChallengeRef | undefined
}

/** A live challenge as the person may see it. */
export interface ChallengeView {
  /** Id of the challenge. Goes back with the code, which then approves this challenge and no other. */
  readonly id: string
  /** What the code is for, such as `login`. */
  readonly purpose: string
  /** How the last code travelled. */
  readonly channel: Channel
  /** The masked number; empty for an authenticator app. */
  readonly destination: string
  /** Milliseconds since 1970, as `resendAt`. */
  readonly expiresAt: number
  /** From when on a new code may be sent as the last one was. */
  readonly resendAt: number
  /** The same by each of `channels`. */
  readonly resendAtBy: Readonly<Record<string, number>>
  /** Codes that may still be submitted to this challenge. */
  readonly attemptsRemaining: number
  /** What became of the last code. `booked`: nobody knows yet. `unconfirmed`: the provider never said that it was sent. */
  readonly delivery: 'booked' | 'sent' | 'unconfirmed'
  /** The channels that a new code may take, the preferred one first. */
  readonly channels: readonly Channel[]
  /** What the code confirms, when the guard that asked for it describes it. */
  readonly details?: Details | undefined
}

/** An expected refusal. */
export interface Refusal {
  readonly outcome: 'refused'
  /** Why, as a problem code. */
  readonly code: ProblemCode
  /** Milliseconds until it makes sense to ask again, when that is known. */
  readonly retryAfterMs?: number
  /** The limit that refused, when one did. */
  readonly limit?: LimitName
  /** What is wrong with the number that was typed, when that is why. */
  readonly reason?: PhoneRefusal
  /** Why, for events only: what is wrong with the number on file (enumeration), or what the host has against the send. */
  readonly eventReason?: string
  /** What to send instead, for developers. */
  readonly detail?: string
  /** The kinds of proof that will do, when no code will that can be sent. */
  readonly methods?: readonly string[]
}

/** What became of a start or a resend. Narrow on `outcome`. */
export type StartOutcome =
  | {
      readonly outcome: 'started'
      /** The live challenge. */
      readonly challenge: ChallengeView
      /** `unconfirmed`: the provider's response was lost; the code works if it arrives. */
      readonly delivery: 'sent' | 'unconfirmed'
    }
  /** A challenge for exactly this is live and its code is on the way: nothing was sent. */
  | { readonly outcome: 'already-sent'; readonly challenge: ChallengeView }
  | Refusal

/** A code that was not taken. */
export interface Rejection {
  readonly outcome: 'rejected'
  /** Codes that may still be submitted to this challenge. */
  readonly attemptsRemaining: number
  /** Milliseconds until the next code may be submitted, when it locked the account, or at a sign-up the number. */
  readonly retryAfterMs?: number
  /** It was typed before, and no verdict came: it may have been right then, and only a new one helps. */
  readonly wasOpen?: true
}

/** What became of a code. Narrow on `outcome`. */
export type VerifyOutcome =
  | {
      readonly outcome: 'approved'
      /** What the code proved. */
      readonly purpose: string
      /** How the last code had travelled. */
      readonly channel: Channel
      /** Hash of the bound fields that the challenge was started for. */
      readonly bound?: string
      /** The proven number, E.164; absent for an authenticator app. */
      readonly phone?: string | undefined
    }
  | Rejection
  | Refusal

/** A refusal as a value. */
export function refused(code: ProblemCode, retryAfterMs?: number): Refusal {
  return { outcome: 'refused', code, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) }
}
