import type { Request } from 'express'
import type {
  ChallengeRef,
  Refusal,
  Rejection,
  RequesterContext,
  SendCommand,
  StartCommand,
  StartOutcome,
  VerifyOutcome,
} from '../../challenge/commands.js'
import type { Lane } from '../../challenge/limits.js'
import type { PageIntent, Requirement, Requirements } from '../guard/requirement.js'
import type { Resumption } from '../guard/resumption.js'
import type { RequestContext } from '../http/request-body.js'

/** A completed verification with its time. */
export interface Verified {
  readonly outcome: 'verified'
  readonly purpose: string
  readonly verifiedAt: number
}

/** The verified purpose, and the return path of the guard. */
export type ApprovedProof = Pick<Requirement, 'purpose' | 'returnTo'>

type Approved = Extract<VerifyOutcome, { outcome: 'approved' }>

/** Language and `beforeSend` of the app for a message. */
export type HostSays = Pick<SendCommand, 'locale' | 'beforeSend'>
/** Determines these facts for a start, which the guard may trigger without a click. */
type StartSays = HostSays & Pick<StartCommand, 'isAutomatic'>

/** The differences between a sign-in or step-up and a phone verification. */
export interface Flow<Context extends RequesterContext = RequesterContext> {
  readonly name: Lane
  readonly defaultPurpose: string
  /** Sign-in only, because guards require nothing else. */
  readonly requirements?: Requirements | undefined
  basePathOf(req: Request): string
  /** Returns whether a success may trust this browser. */
  offersTrust(purpose: string, requirement: Requirement | undefined): boolean
  /** Returns whether leaving the page cancels a sign-in, rather than an action of a signed-in user. */
  isSignIn(intent: PageIntent): boolean
  /** Returns the path for a user who leaves the page, or undefined for the page itself. */
  wayOut(req: Request, intent: PageIntent): string | undefined
  /**
   * Returns the requester with its numbers, or undefined while no number is known. Throws if the request may not act.
   */
  actor(req: Request): Promise<Context | undefined>
  /** Like `actor`, for a user who may have several destinations. Reads nothing for others. Sign-in only. */
  actorOfSeveral?(req: Request): Promise<RequesterContext | undefined>
  start(context: RequestContext, intent: PageIntent, says: StartSays): Promise<StartOutcome | Verified>
  /** Returns the challenge that the client displayed with the submitted code. */
  readDisplayed(context: RequestContext, intent: PageIntent): Promise<ChallengeRef>
  /** Records a success under a renewed session. Refuses if a revocation came meanwhile. */
  approve(
    context: RequestContext,
    actor: Context,
    approved: Approved,
    trustDevice: boolean,
  ): Promise<Verified | Refusal>
  /** Accepts a recovery code instead of a code by phone. Absent without recovery codes. */
  readonly recover?:
    | ((context: RequestContext, intent: PageIntent) => Promise<Verified | Rejection | Refusal>)
    | undefined
  /**
   * Returns what this session has verified in another tab since the page was made, or undefined. It decides which page
   * is shown, never who is signed in. Earlier verifications than `since` do not concern a page that no guard required.
   */
  proven(context: RequestContext, intent: PageIntent, since: number): Promise<ApprovedProof | undefined>
  /** Returns the path after success if the request names none. */
  successPathOf(purpose: string): string | undefined
  /** Path that the page for a number links back to, instead of the link `home`. */
  readonly backPath?: string | undefined
  /** Opens the saved form of a page. Sign-in only. */
  readonly openForm?: Resumption['open']
}
