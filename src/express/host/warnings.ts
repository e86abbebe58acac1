import { channel } from 'node:diagnostics_channel'
import type { Finding } from '../../challenge/operator/self-test.js'
import type { Emit, EventBody, ExchangeFields, OnEvent, TwoFactorEvent } from '../../events.js'
import { ignoreRejection } from '../../lib/promises.js'

// Warnings for operators, each at most once, and events, some of which become warnings if the app has no `onEvent`.

/** Problem and fix by stable code. */
const messages = {
  TWO_FACTOR_TRUST_PROXY_MISSING:
    '`trust proxy` does not cover your proxies: all visitors behind a proxy share ten times the limits of one address. Set `trust proxy` to the number or the addresses of all proxies in front of the app.',
  TWO_FACTOR_TRUST_PROXY_ALL:
    '`trust proxy` is true: any client can choose its own address with X-Forwarded-For and evade rate limits. Set it to the number or the addresses of your proxies.',
  TWO_FACTOR_MEMORY_STORE:
    'In production, challenges and grants are kept in this process only and are lost when it exits. Pass a shared `store`.',
  TWO_FACTOR_SEVERAL_WORKERS:
    'Several workers are running, each with its own memory store, so each worker allows its own attempts (brute force). Pass a shared `store`.',
  TWO_FACTOR_STORE_EVICTS:
    'The store may evict live records: after a lock is evicted, an attacker gets new attempts (brute force). If Redis is almost full, raise `maxmemory` first. Then set `maxmemory-policy` to noeviction.',
  TWO_FACTOR_COOKIE_NOT_SECURE:
    'The session cookie is not Secure: it can be intercepted in transit. Set `cookie.secure` of the session.',
  TWO_FACTOR_COOKIE_SAME_SITE:
    'The session cookie has no SameSite of "lax" or "strict": other sites can make browsers send it (CSRF). Set `cookie.sameSite` of the session, or `cookie.partitioned` if another site frames the app.',
  TWO_FACTOR_COOKIE_NEVER_SENT:
    'The session cookie is Secure, but Express received this request as plain http, so the response did not set the cookie. Set `trust proxy` to the proxy that ends TLS, and let it send `X-Forwarded-Proto`. Without TLS, such as on your own machine, leave `cookie.secure` unset.',
  TWO_FACTOR_MADE_PER_REQUEST:
    'twoFactor() was called a hundred times with separate stores, for example in a handler: every call starts with fresh limits (brute force). Call it once, at start-up.',
  TWO_FACTOR_NO_SESSION:
    'A request without a session reached the package and was refused. Mount the session before tf.routes() and every guard: app.use(session({ secret, resave: false, saveUninitialized: false, cookie: { sameSite: "lax" } })).',
  TWO_FACTOR_PENDING_IGNORED:
    '`subject` returned no user although the session contains one who has given the password, so no code is sent. Return this user, too: subject: (req) => req.session.pendingUserId ?? req.session.userId.',
  TWO_FACTOR_NOT_PARSED:
    'A guard with `bind`, `describe` or `resume` received a body that no parser had read. Mount the parser before the guard: app.post(path, express.urlencoded({ extended: false }), tf.requireTwoFactor({ … }), handler), or express.json().',
  TWO_FACTOR_CROSS_SITE:
    'A form of this app was refused as a form of another site. Send `Referrer-Policy: same-origin` with its page (helmet sends `no-referrer`, which hides the origin without https), and let the proxy forward the `Host` of the browser with its port, or send it as `X-Forwarded-Host` with `trust proxy` set. List the origin in `allowedOrigins` only if its pages are yours.',
  TWO_FACTOR_ROWS_NOT_BOUND:
    '`describe` returned different rows for equal fields of `bind`: a code for one description also confirms the other. Return from `bind` every field that `describe` shows.',
  TWO_FACTOR_PROVIDER_MISCONFIGURED:
    'The provider rejects your account, so no user can sign in. Check `client` and `key`, run `npx express-two-factor doctor`, and pass `onEvent` to receive each such event.',
  TWO_FACTOR_ROUTES_NOT_MOUNTED:
    'Users enter their codes at `tf.routes()`, but no request has reached these. Mount them at the option `path`: app.use(path, tf.routes()). If a proxy removes a prefix, set the option `prefix`.',
  TWO_FACTOR_ROUTES_ELSEWHERE:
    '`tf.routes()` is mounted at another path than the option `path`, so pages and redirects lead elsewhere. Make both equal: app.use(path, tf.routes()). If a proxy removes a prefix, set the option `prefix`.',
  TWO_FACTOR_BIND_EMPTY:
    '`bind` returned no value although the request seems to contain the field, so it gets 400. Compare the names in `bind` with the fields of the form. `String()` turns a missing field into the text "undefined", which a code must not confirm.',
  TWO_FACTOR_PROVIDER_UNREACHABLE:
    'The provider cannot be reached, so no code is sent. Check `baseUrl`, DNS and firewall, and run `npx express-two-factor doctor` on this machine.',
  TWO_FACTOR_PROVIDER_ADDRESS:
    'A response does not come from the interface of the provider, so no code was sent. Correct `baseUrl` and `paths` of the client, and run `npx express-two-factor doctor`.',
  TWO_FACTOR_STORE_FAILED:
    'The store did not run a command, so the request got 503. Connect its client before `listen`, check that the store runs and can be reached from this machine, and pass `onEvent` to receive each such event.',
  TWO_FACTOR_NUMBER_UNREADABLE:
    'A number on file cannot be read, so its account gets no code. Return it from `phone` in international form, such as +573001234567, or as { phone, country }.',
  TWO_FACTOR_COUNTRY_NOT_LISTED:
    'A number on file belongs to a country that the option `countries` does not list, so its account gets no code. Add the country to `countries`, or correct the number.',
  TWO_FACTOR_STATUS_UNEXPECTED:
    'The provider returned a status that `approvedStatuses` does not contain: if the code was correct, no user can sign in. Run `npx express-two-factor calibrate`, which prints the line to paste.',
} as const satisfies Record<string, string>

export type WarningCode = keyof typeof messages
/** Emits a warning. `cause` adds the reason, if it is known. */
export type Warn = (code: WarningCode, cause?: string) => void

export type Warnings = ReturnType<typeof createWarnings>

/** Creates the warnings: each code is emitted at most once, as a process warning of the type `TwoFactorWarning`. */
export function createWarnings() {
  const emitted = new Set<WarningCode>()
  const found = new Set<WarningCode>()
  /** Emits a warning that is no finding: the setting may be intended, or the self-test detects it itself. */
  const hint: Warn = (code, cause = '') => {
    if (emitted.has(code)) return
    emitted.add(code)
    process.emitWarning(cause === '' ? messages[code] : `${messages[code]} (${printable(cause)})`, {
      type: 'TwoFactorWarning',
      code,
      detail: 'See express-two-factor/docs/operation.md#warnings',
    })
  }
  const warn: Warn = (code, cause) => {
    found.add(code)
    hint(code, cause)
  }
  return {
    warn,
    hint,
    /** Removes a finding that does not apply, or no longer. */
    withdraw: (code: WarningCode): void => void found.delete(code),
    findings: (): readonly Finding[] => [...found].map(warningFor),
  }
}

const maxCauseLength = 500

/**
 * Limits a cause, which may contain text of a client, such as a path or the name of a field: no line ends (log forging)
 * and no characters that control a terminal or the direction of text.
 */
const printable = (cause: string): string =>
  cause.slice(0, maxCauseLength).replaceAll(/[\p{C}\p{Zl}\p{Zp}]+/gu, ' ')

function warningFor(code: WarningCode): Finding {
  const [message = '', ...fix] = messages[code].split(/(?<=\.) /)
  return { code: code.replace('TWO_FACTOR_', '').toLowerCase(), message, fix: fix.join(' ') }
}

/** Reasons for which no request has left this machine. A provider that hangs or is busy was reached. */
const unreachableReasons: ReadonlySet<string | undefined> = new Set(['refused', 'dns', 'tls', 'unreachable'])

const diagnostics = channel('express-two-factor:event')

/** Creates the function that publishes events to the app and to the diagnostics channel `express-two-factor:event`. */
export function createEmit(
  onEvent: OnEvent | undefined,
  now: () => number,
  /**
   * Receives events that an operator must see although the app has no listener. The self-test checks provider and store
   * itself.
   */
  hint: Warn,
): Emit {
  /** An account may return a separate status for wrong codes. An approval shows that the list is right. */
  let isApproving = false

  function warnOf(event: EventBody): void {
    if (event.type === 'provider.misconfigured')
      hint('TWO_FACTOR_PROVIDER_MISCONFIGURED', describeCause(event))
    if (event.type === 'provider.unavailable' && unreachableReasons.has(event.reason))
      hint('TWO_FACTOR_PROVIDER_UNREACHABLE', describeCause(event))
    if (isFromElsewhere(event)) {
      const request = describeCause({ ...event, reason: undefined })
      hint('TWO_FACTOR_PROVIDER_ADDRESS', `${request}: ${event.cause}`)
    }
    if (event.type === 'store.failed') hint('TWO_FACTOR_STORE_FAILED', event.cause)
    if (event.type === 'challenge.approved') isApproving = true
    if (event.type === 'challenge.rejected' && event.status !== undefined && !isApproving) {
      hint('TWO_FACTOR_STATUS_UNEXPECTED', `status ${event.status}`)
    }
  }

  return (body) => {
    // Also for an app with `onEvent`, because the people concerned see only a refusal.
    if (body.type === 'factor.unreadable' && body.kind === 'phone')
      hint('TWO_FACTOR_NUMBER_UNREADABLE', body.reason)
    if (onEvent === undefined && !diagnostics.hasSubscribers) return warnOf(body)
    try {
      const event: TwoFactorEvent = { at: now(), ...body }
      diagnostics.publish(event)
      // A listener may be async, because its type also fits one that returns nothing.
      ignoreRejection(onEvent?.(event))
    } catch {
      // A broken metric must not change who is admitted.
    }
  }
}

/** Returns whether the advice on a response is to correct the address: 404, 405, a redirect or a web page. */
function isFromElsewhere(event: EventBody): event is EventBody & ExchangeFields & { readonly cause: string } {
  return 'httpStatus' in event && event.httpStatus !== undefined && /baseUrl/.test(event.cause ?? '')
}

function describeCause({ operation, httpStatus, providerError, reason }: ExchangeFields): string {
  const status = httpStatus && `HTTP ${httpStatus}`
  const error = providerError && `error ${providerError}`
  return [operation, status, error, reason].filter((part) => part !== undefined).join(', ')
}
