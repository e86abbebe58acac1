import type { Domain } from '../challenge/domain.js'
import type { Background } from '../lib/promises.js'
import { createRenewal } from './flows/renewal.js'
import { createShownCheck } from './guard/details.js'
import { createRequirements } from './guard/requirement.js'
import { createResumption } from './guard/resumption.js'
import { createFactorOf } from './host/app-secrets.js'
import { createMountCheck } from './host/mount-check.js'
import { createPendingUserCheck } from './host/pending-user-check.js'
import { createAddressOf, createIdentify, createOnFile } from './host/requester.js'
import { expressSession } from './host/session.js'
import { createSessions } from './host/sessions.js'
import type { Warnings } from './host/warnings.js'
import { createDeviceCookies } from './http/device-cookies.js'
import { createEndpoint } from './http/endpoint.js'
import { createOriginCheck } from './http/origin-check.js'
import { createPasskeyOffer } from './http/passkey-offer.js'
import { createResponder } from './http/responder.js'
import { createSitePaths } from './http/site-paths.js'
import { createSuccessPaths } from './http/success-paths.js'
import { createFormFields } from './pages/forms.js'
import { createLanguageOf } from './pages/language.js'
import { createLinks } from './pages/links.js'
import { createPages } from './pages/pages.js'
import type { HttpSettings } from './settings.js'

/** Parts that handle HTTP. Routes, guards and pages take from it what they need. */
export type HttpParts = ReturnType<typeof openHttp>

/** Creates the HTTP parts of an app from its options and its domain. */
export function openHttp(
  settings: HttpSettings & { readonly store?: Domain['store'] },
  domain: Domain,
  warnings: Warnings,
  background: Background,
) {
  const { warn } = warnings
  const sessions = createSessions(settings.session ?? expressSession(), warn)
  const onFile = createOnFile(settings)
  const pendingCheck = createPendingUserCheck(onFile.numbersOf, warnings.hint)
  const requester = createIdentify(settings.subject, sessions, pendingCheck)
  const { subjectOf, identify } = requester
  const addressOf = createAddressOf(warn)
  const languageOf = createLanguageOf({ ...settings.pages, methods: settings.methods })
  const sitePaths = createSitePaths(settings.prefix)
  const linksOf = createLinks(settings.pages.links, sitePaths)
  const pages = createPages(settings, languageOf, domain, sitePaths)
  const responder = createResponder(pages)
  const refuseCrossSite = createOriginCheck({ emit: domain.emit, warn: warnings.hint })
  const keepsDevices = settings.knownBrowsers !== false || settings.trustedDevices !== undefined

  return {
    settings,
    domain,

    // Requester, session, address and factors on file.
    sessions,
    ...requester,
    addressOf,
    ...onFile,
    appOf: createFactorOf('app', onFile.secretOf, domain.emit),
    signerOf: createFactorOf('passkey', onFile.signerOf, domain.emit),
    /** Undefined if browsers are not tracked. */
    devices: keepsDevices ? createDeviceCookies(domain, settings) : undefined,
    renewal: createRenewal(domain, sessions),

    mountCheck: createMountCheck(
      settings.path,
      warnings,
      // A shared store is that of several processes.
      settings.store === undefined ? background : undefined,
    ),

    // Mount of the routes as a browser sees it, other paths, and responses.
    path: sitePaths.toBrowser(settings.path),
    sitePaths,
    successPaths: createSuccessPaths(),
    passkeyOffer: createPasskeyOffer(),
    endpoint: createEndpoint({
      responder,
      allowedOrigins: settings.allowedOrigins,
      refuseCrossSite,
      sessions,
      warnings,
    }),
    responder,

    // Parts of guards.
    requirements: createRequirements(domain, { sessionOf: sessions.find, subjectOf }),
    resumption: createResumption(domain, {
      identify,
      wantsPage: responder.wantsPage,
      fromApp: sitePaths.fromApp,
      refuseCrossSite,
      addressOf,
      warn,
    }),
    checkShown: createShownCheck(warn),

    // Parts of pages.
    pages,
    languageOf,
    linksOf,
    formFieldsOf: createFormFields(settings.pages.formFields),

    warn,
    hint: warnings.hint,
  }
}
