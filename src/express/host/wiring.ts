import type { Request } from 'express'
import type { Limits } from '../../challenge/limits.js'
import { createExplainFailure, type ExplainFailure } from '../guard/unparsed.js'
import { createMountPath, createMounts, type MountPath, type Mounts } from '../http/mounts.js'
import { hostFunction } from './boundary.js'
import { createInFlight, type InFlight } from './in-flight.js'
import {
  createIdentify,
  createIdentifyLater,
  createSessions,
  type Identify,
  type IdentifyLater,
  readSubject,
  type Sessions,
  type SubjectOf,
} from './requester.js'
import { expressSession, type SessionAdapter } from './session.js'
import type { Warnings } from './warnings.js'

/** The host as requests find it: who asks, in which session, and where the routes are. */
export interface Wiring {
  readonly subjectOf: SubjectOf
  readonly sessions: Sessions
  readonly identify: Identify
  readonly identifyLater: IdentifyLater
  /** Who is in which session, for the other apps of the process: nothing is made or warned about. */
  whoIn(req: Request): Promise<{ readonly session: string | undefined; readonly subject: string | undefined }>
  readonly path: MountPath
  readonly mounts: Mounts
  readonly explainFailure: ExplainFailure
  readonly inFlight: InFlight
  /** How long a function of the host may take, in milliseconds. */
  readonly hostTimeoutMs: number
}

export function createWiring(
  host: {
    readonly subject: SubjectOf
    readonly session?: SessionAdapter | undefined
    readonly path: string
    readonly limits: Pick<Limits, 'hostTimeoutMs'>
  },
  warnings: Pick<Warnings, 'warn' | 'hint'>,
): Wiring {
  const { warn } = warnings
  const subjectOf = hostFunction(host.subject)
  const { hostTimeoutMs } = host.limits
  const sessions = createSessions(host.session ?? expressSession(), hostTimeoutMs, warn)
  const quiet = createSessions(host.session ?? expressSession(), hostTimeoutMs, () => undefined)
  const path = createMountPath(host.path)
  return {
    subjectOf,
    sessions,
    identify: createIdentify(subjectOf, sessions),
    identifyLater: createIdentifyLater(subjectOf, sessions),
    async whoIn(req) {
      await quiet.open(req)
      return { session: quiet.find(req), subject: readSubject(subjectOf, req) }
    },
    path,
    mounts: createMounts(host.path, path, warnings),
    explainFailure: createExplainFailure(warn),
    inFlight: createInFlight(),
    hostTimeoutMs,
  }
}
