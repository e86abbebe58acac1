import { channel } from 'node:diagnostics_channel'
import type { AboutExchange, Emit, EventBody, OnEvent, TwoFactorEvent } from '../../events.js'
import type { PhoneRefusal } from '../../phone-number.js'
import type { Warn } from './warnings.js'

const diagnostics = channel('express-two-factor:event')

/** Publishes to the host and to the diagnostics channel `express-two-factor:event`. */
export function createEmit(parts: {
  readonly onEvent: OnEvent | undefined
  readonly now: () => number
  /** Told of what nobody listens to and somebody must know. */
  readonly warn: Warn
}): Emit {
  const { onEvent, now, warn } = parts
  /** An account may answer wrong codes with a status of their own: an approval shows that the list is right. */
  let isApproving = false

  function warnOf(event: EventBody): void {
    if (event.type === 'provider.misconfigured') warn('TWO_FACTOR_PROVIDER_MISCONFIGURED', causeOf(event))
    const wrongAddress = astray(event)
    if (wrongAddress) warn('TWO_FACTOR_PROVIDER_ADDRESS', causeOf(wrongAddress))
    else if (event.type === 'provider.unavailable') warn('TWO_FACTOR_PROVIDER_UNAVAILABLE', causeOf(event))
    if (event.type === 'challenge.approved') isApproving = true
    if (event.type === 'provider.unexpected' && !isApproving) {
      warn('TWO_FACTOR_STATUS_UNEXPECTED', `status ${event.status}`)
    }
    if (event.type === 'store.failed') warn('TWO_FACTOR_STORE_FAILED', event.command)
    if (isUnreadable(event)) warn('TWO_FACTOR_PHONE_UNREADABLE', event.reason)
  }

  return (body) => {
    if (onEvent === undefined && !diagnostics.hasSubscribers) return warnOf(body)
    try {
      const event: TwoFactorEvent = { at: now(), ...body }
      diagnostics.publish(event)
      // An async listener also has the type of one that returns nothing.
      const answer = onEvent?.(event) as unknown
      if (answer instanceof Promise) answer.catch(() => undefined)
    } catch {
      // A broken metric must not change who is admitted.
    }
  }
}

/** A send that seems to have reached a web site in place of the provider: `baseUrl` lacks its path. */
function astray(event: EventBody): AboutExchange | undefined {
  if (event.type === 'challenge.undelivered') return event.httpStatus === 404 ? event : undefined
  if (event.type !== 'provider.unavailable' || event.command !== 'send') return undefined
  const { httpStatus, reason, providerError } = event
  const isPage = httpStatus === 200 && reason === 'answer' && providerError === undefined
  return httpStatus === 404 || isPage ? event : undefined
}

/** Whether no code was sent because the option `phone` returned what nobody can dial. */
function isUnreadable(event: EventBody): event is EventBody & { readonly reason: PhoneRefusal } {
  if (event.type !== 'request.refused' || event.lane !== 'auth' || event.code === 'send_refused') return false
  return event.reason === 'not-a-number' || event.reason === 'wrong-length'
}

function causeOf({ operation, httpStatus, providerError, reason }: AboutExchange): string {
  const status = httpStatus && `HTTP ${httpStatus}`
  const error = providerError && `error ${providerError}`
  return [operation, status, error, reason].filter((part) => part !== undefined).join(', ')
}
