import type { Request } from 'express'
import type { Domain } from '../challenge/domain.js'
import { createDeviceCookies, type DeviceCookies } from './flows/device-cookies.js'
import { createRenewal, type Renewal } from './flows/renewal.js'
import { createShownChecks, type ShownChecks } from './guard/details.js'
import { createRequirements, type Requirements } from './guard/requirement.js'
import { createResumption, type Resumption } from './guard/resumption.js'
import { createExplainFailure, type ExplainFailure } from './guard/unparsed.js'
import { type HostDeadline, hostFunction } from './host/boundary.js'
import { createInFlight, type InFlight } from './host/in-flight.js'
import {
  createIdentify,
  createIdentifyLater,
  createSessions,
  type Identify,
  type IdentifyLater,
  type Sessions,
  type SubjectOf,
} from './host/requester.js'
import { expressSession } from './host/session.js'
import type { Warnings } from './host/warnings.js'
import { type AddressOf, createAddressOf } from './http/address.js'
import { createEndpoint, type Endpoint } from './http/endpoint.js'
import { createMountPath, createMounts, type MountPath, type Mounts } from './http/mounts.js'
import { createResponder, type Responder } from './http/responder.js'
import { createSuccessPaths, type SuccessPaths } from './http/return-path.js'
import { bodyParsers } from './http/routes.js'
import { createFormFields, type FormFieldsOf } from './pages/form-fields.js'
import { createLanguageOf, type Language } from './pages/language.js'
import { createLinks, type PageLinks } from './pages/links.js'
import { createPages, type Pages } from './pages/pages.js'
import type { HttpSettings } from './settings.js'

/** What speaks HTTP, made once for each app: routes, guards and pages take of it what they need. */
export interface HttpParts {
  readonly settings: HttpSettings
  readonly domain: Domain
  /** Who asks, in which session. */
  readonly subjectOf: SubjectOf
  readonly sessions: Sessions
  readonly identify: Identify
  readonly identifyLater: IdentifyLater
  readonly addressOf: AddressOf
  /** Undefined where no cookie tells browsers apart. */
  readonly devices: DeviceCookies | undefined
  readonly renewal: Renewal
  readonly inFlight: InFlight
  /** Where the routes are. */
  readonly path: MountPath
  readonly mounts: Mounts
  readonly successPaths: SuccessPaths
  readonly endpoint: Endpoint
  readonly responder: Responder
  /** What guards need. */
  readonly requirements: Requirements
  readonly resumption: Resumption
  readonly shownChecks: ShownChecks
  readonly explainFailure: ExplainFailure
  /** What people see. */
  readonly pages: Pages
  readonly languageOf: (req: Request) => Language
  readonly linksOf: (req: Request) => PageLinks
  readonly formFieldsOf: FormFieldsOf
  /** How long a function of the host may take whose answer is for this request. */
  within(name: string): HostDeadline<readonly [Request, ...unknown[]]>
}

export function openHttp(settings: HttpSettings, domain: Domain, warnings: Warnings): HttpParts {
  const { namespace, limits, allowedOrigins } = settings
  const { hostTimeoutMs } = limits
  const { grants, purposes, now, emit } = domain
  const { warn } = warnings

  const subjectOf = hostFunction(settings.subject)
  const adapter = settings.session ?? expressSession()
  const sessions = createSessions(adapter, hostTimeoutMs, warn)
  const identify = createIdentify(subjectOf, sessions)
  const addressOf = createAddressOf(warn)
  const inFlight = createInFlight()
  const path = createMountPath(settings.path)

  const languageOf = createLanguageOf({ ...settings, warn })
  const pages = createPages(settings, languageOf, now)
  const responder = createResponder(pages)
  // A client with a bearer token keeps no cookies.
  const keepsDevices = settings.knownBrowsers !== false || settings.trustedDevices !== undefined
  return {
    settings,
    domain,
    subjectOf,
    sessions,
    identify,
    identifyLater: createIdentifyLater(subjectOf, sessions),
    addressOf,
    devices:
      keepsDevices && !sessions.bearer
        ? createDeviceCookies({ devices: domain.devices, purposes, namespace, now })
        : undefined,
    renewal: createRenewal({
      namespace,
      sessions,
      // Nothing is made or warned about on behalf of another app.
      quietSessions: createSessions(adapter, hostTimeoutMs, () => undefined),
      subjectOf,
      grants,
      emit,
      storeTimeoutMs: limits.storeTimeoutMs,
    }),
    inFlight,
    path,
    mounts: createMounts(settings.path, path, warnings),
    successPaths: createSuccessPaths(),
    endpoint: createEndpoint({ responder, bodyParsers, allowedOrigins, sessions, inFlight, warn }),
    responder,
    requirements: createRequirements({
      secrets: domain.secrets,
      namespace,
      sessionOf: sessions.find,
      codeLifetimeMs: limits.codeLifetimeMs,
      now,
    }),
    resumption: createResumption({
      keptForms: domain.keptForms,
      grants,
      identify,
      wantsPage: responder.wantsPage,
      bodyParsers,
      addressOf,
    }),
    shownChecks: createShownChecks(warn),
    explainFailure: createExplainFailure(warn),
    pages,
    languageOf,
    linksOf: createLinks(settings.links),
    formFieldsOf: createFormFields(settings.formFields),
    within: (name) => ({ name, timeoutMs: hostTimeoutMs, requestOf: (req) => req }),
  }
}
