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

/** What was proven, when. */
export interface Verified {
  readonly outcome: 'verified'
  readonly purpose: string
  readonly verifiedAt: number
}

/** What was proven, and the path that the guard wanted to come back to. */
export type ApprovedProof = Pick<Requirement, 'purpose' | 'returnTo'>

type Approved = Extract<VerifyOutcome, { outcome: 'approved' }>

/** What the host has to say about a message that is to be sent. */
export type HostSays = Pick<SendCommand, 'locale' | 'beforeSend'>
/** The same of one to be started. */
type StartSays = HostSays & Pick<StartCommand, 'isAutomatic'>

/** Where sign-in and step-up on the one hand, and a phone verification on the other, differ. */
export interface Flow<Acting extends RequesterContext = RequesterContext> {
  readonly name: Lane
  readonly defaultPurpose: string
  /** In the auth lane alone: guards require nothing else. */
  readonly requirements?: Requirements | undefined
  basePathOf(req: Request): string
  /** Whether success may make this browser stand in for the next code. */
  offersTrust(purpose: string, demand: Requirement | undefined): boolean
  /** Whether leaving a page for this ends a sign-in, and not just an action of somebody who is signed in. */
  isSignIn(intent: PageIntent): boolean
  /** Where somebody goes who leaves a page for this; undefined for the page again. */
  wayOut(req: Request, intent: PageIntent): string | undefined
  /** Who acts on which number; undefined while no number is known. Throws when nobody may act. */
  actor(req: Request): Promise<Acting | undefined>
  /** As `actor`, of somebody who may have several destinations; nothing is read for others. In the auth lane alone. */
  actorOfSeveral?(req: Request): Promise<RequesterContext | undefined>
  start(context: RequestContext, intent: PageIntent, says: StartSays): Promise<StartOutcome | Verified>
  /** What the person was shown with the code that a request brings. */
  shown(context: RequestContext, intent: PageIntent): Promise<ChallengeRef>
  /** Records under a renewed session what was proven; refuses when a revocation came meanwhile. */
  approve(
    context: RequestContext,
    actor: Acting,
    approved: Approved,
    trustDevice: boolean,
  ): Promise<Verified | Refusal>
  /** Takes a recovery code in place of one by phone; absent where there are none. */
  readonly recover?:
    | ((context: RequestContext, intent: PageIntent) => Promise<Verified | Rejection | Refusal>)
    | undefined
  /**
   * What this session has proven since the page was made: in another tab; undefined when nothing that fits. It decides
   * which page is shown, never who is let in. `since`: what was proven before is none of a page that no guard has asked for.
   */
  proven(context: RequestContext, intent: PageIntent, since: number): Promise<ApprovedProof | undefined>
  /** Where success leads when the request does not say so. */
  successPathOf(purpose: string): string | undefined
  /** Where the page for a number leads back to, in place of the link `home`. */
  readonly backPath?: string | undefined
  /** The interrupted form that a page was opened for; in the auth lane alone. */
  readonly openForm?: Resumption['open']
}
