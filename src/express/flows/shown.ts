import type { Request } from 'express'
import type { Shown } from '../../challenge/commands.js'
import type { Grants } from '../../challenge/proofs/grants.js'
import type { Purposes } from '../../challenge/purposes.js'
import type { Issued, Requirements } from '../guard/requirement.js'
import type { Identify } from '../host/requester.js'
import { invalid, type RequestContext, text } from '../http/request-body.js'

/** What the person was shown with the code that a request brings. */
export type ReadShown = (context: RequestContext) => Promise<Shown & Pick<Issued, 'recoveryCode'>>

/** At a sign-in or a step-up. An expired requirement still says what the person was shown. */
export function createReadShown(parts: {
  readonly identify: Identify
  readonly grants: Pick<Grants, 'earlierSessions'>
  readonly purposes: Purposes
  readonly requirements: Requirements
}): ReadShown {
  const { identify, grants, purposes, requirements } = parts

  /** Looked up in the store only for what this session cannot read: a proof in another tab has renewed it. */
  async function issuedEarlier(req: Request, token: string): Promise<Issued | undefined> {
    const who = identify(req)
    return who && requirements.readIssued(req, token, await grants.earlierSessions(who))
  }

  return async ({ req, fields }) => {
    const challenge = text(fields, 'challenge')
    const purpose = text(fields, 'purpose')
    const token = text(fields, 'requirement')
    if (purpose !== undefined && purposes.find(purpose) === undefined) throw invalid('purpose is unknown.')
    if (token === undefined) return { challenge, purpose }
    const issued = requirements.readIssued(req, token) ?? (await issuedEarlier(req, token))
    if (issued === undefined || (purpose ?? issued.purpose) !== issued.purpose) {
      throw invalid('requirement is invalid.')
    }
    return { ...issued, challenge }
  }
}
