import type { OperationName } from '../provider/operations.js'
import { type Account, createAccount } from './account.js'
import { type Changes, createChanges } from './changes.js'
import { type ClockControl, createClock } from './clock.js'
import { codeStatusOf, createCodes } from './codes.js'
import { createFaultQueue, type FaultQueue } from './faults.js'
import { createMessageStore, type MessageStore } from './inbox.js'
import type { SandboxSettings } from './options.js'
import { createRequestLog, type RequestLogStore } from './request-log.js'
import { accountOperations } from './service/account-operations.js'
import { codeOperations } from './service/code-operations.js'
import { type Catalogue, catalogueOf } from './service/dialect.js'
import { createDispatch } from './service/dispatch.js'
import { messageOperations } from './service/message-operations.js'
import { createResponder, type ServiceResponse } from './service/responder.js'
import { createService, type ServiceCall } from './service/service.js'
import { urlOperations } from './service/url-operations.js'
import { createLinks, type LinkStore } from './short-links.js'

/** The whole provider in memory, without HTTP. */
export interface ProviderSimulation {
  readonly catalogue: Catalogue
  readonly handle: (name: OperationName, call: ServiceCall) => ServiceResponse
  readonly account: Account
  readonly clock: ClockControl
  readonly faults: FaultQueue
  readonly links: LinkStore
  readonly messages: MessageStore
  readonly requests: RequestLogStore
  readonly changes: Changes
  /** Forgets everything that happened. */
  reset(): void
}

/** `origin` is where short URLs point to. */
export function createProviderSimulation(settings: SandboxSettings, origin: string): ProviderSimulation {
  const changes = createChanges()
  const changed = changes.announce
  const clock = createClock(settings.now, changed)
  const { now } = clock
  const account = createAccount(settings, now, changed)
  const codeRules = {
    alphabet: settings.codeAlphabet,
    length: settings.codeLength,
    lifetimeMs: settings.codeLifetimeMs,
    resend: settings.resend,
  }
  const codes = createCodes(codeRules, now)
  const faults = createFaultQueue(changed)
  const links = createLinks(origin, now, changed)
  const messages = createMessageStore({
    now,
    codeStatusOf: (message) => codeStatusOf(message, codes, now(message.phone)),
    changed,
    onMessage: settings.onMessage,
  })
  const requests = createRequestLog(now, changed)

  const catalogue = catalogueOf(settings.dialect)
  const responder = createResponder(settings, now)
  const dispatch = createDispatch(account, messages, now)
  const { appNames } = settings
  const handle = createService(catalogue, account, responder, {
    ...accountOperations(account, responder),
    ...messageOperations(dispatch, messages, responder),
    ...codeOperations({ account, dispatch, codes, codeRules, responder, appNames }),
    ...urlOperations(account, links, responder),
  })

  function reset(): void {
    clock.reset()
    for (const part of [codes, faults, links, messages, requests]) part.clear()
    account.reset()
    changed()
  }

  return {
    catalogue,
    handle,
    account,
    clock,
    faults,
    links,
    messages,
    requests,
    changes,
    reset,
  }
}
