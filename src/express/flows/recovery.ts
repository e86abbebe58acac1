import type { Request } from 'express'
import type { Actor, Challenges, Shown } from '../../challenge/commands.js'
import type { Grants, OpenSubject } from '../../challenge/proofs/grants.js'
import { readRecoveryCode } from '../../challenge/proofs/recovery-codes.js'
import type { Purposes } from '../../challenge/purposes.js'
import type { Recover } from '../../challenge/recovery.js'
import { takesRecoveryCode } from '../guard/accepted.js'
import type { Requirement } from '../guard/requirement.js'
import { type Identify, identified, type Requester } from '../host/requester.js'
import { invalid, type RequestContext, text } from '../http/request-body.js'
import type { Admit } from './admission.js'
import type { DeviceCookies } from './device-cookies.js'
import type { Flow } from './handlers.js'
import type { ReadShown } from './shown.js'

/** A recovery code in place of one by phone: for the same first factor, whatever has become of the number. */
export function createRecovery(parts: {
  readonly identify: Identify
  readonly shown: ReadShown
  readonly wanted: (context: RequestContext) => Requirement
  /** What the live challenge is for, when it is the one that was shown. */
  readonly live: (
    shown: Shown,
    req: Request,
    requester: Requester,
    record: OpenSubject,
    knownBrowser: Actor['knownBrowser'],
  ) => ReturnType<Challenges['asked']>
  readonly purposes: Purposes
  readonly grants: Grants
  readonly devices: DeviceCookies | undefined
  readonly recover: Recover
  readonly admit: Admit
}): NonNullable<Flow['recover']> {
  const { identify, shown, wanted, live, purposes, grants, devices, recover, admit } = parts

  return async function recovered(context) {
    const { req, fields } = context
    const code = readRecoveryCode(text(fields, 'recoveryCode') ?? '')
    if (code === undefined) throw invalid('recoveryCode does not match the expected format.')
    const requester = identified(identify, req)
    const { subject } = requester
    const record = grants.open(requester)
    // Read without a token too: success will leave one.
    const browser = devices?.open(req, subject)
    const wasShown = await shown(context)
    const started = await live(wasShown, req, requester, record, browser?.known)
    if (started !== undefined && 'outcome' in started) return started
    const asked = started ? { ...wasShown, ...started } : wanted(context)
    // Before the code is used up: it would be lost on a guard that does not take it.
    if (!takesRecoveryCode(purposes.find(asked.purpose), asked)) {
      throw invalid('A recovery code will not do here.')
    }

    const outcome = await recover({ subject, record, code })
    if (outcome.outcome !== 'accepted') return outcome
    const proven = { purpose: asked.purpose, bound: asked.bound, method: 'recovery-code' }
    return admit(context, subject, proven, { record, browser, trustDevice: false })
  }
}
