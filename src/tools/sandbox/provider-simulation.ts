import { EventEmitter } from 'node:events'
import { createAccount } from './account.js'
import { createClock } from './clock.js'
import { codeStatusOf, createCodes } from './codes.js'
import { createFaultQueue } from './faults.js'
import { createMessageStore } from './inbox.js'
import type { SandboxSettings } from './options.js'
import { createRequestLog } from './request-log.js'
import { accountOperations } from './service/account-operations.js'
import { codeOperations } from './service/code-operations.js'
import { catalogueOf } from './service/dialect.js'
import { createDispatch } from './service/dispatch.js'
import { messageOperations } from './service/message-operations.js'
import { createResponder } from './service/responder.js'
import { createService } from './service/service.js'
import { urlOperations } from './service/url-operations.js'
import { createLinks } from './short-links.js'

export type ProviderSimulation = ReturnType<typeof createProviderSimulation>

/** Creates the whole provider in memory, without HTTP. `origin` is the origin of short URLs. */
export function createProviderSimulation(settings: SandboxSettings, origin: string) {
  /** Reports that something changed, without details. */
  const changes = new EventEmitter<{ change: [] }>()
  const changed = () => void changes.emit('change')
  const clock = createClock(settings.now, changed)
  const { now } = clock
  const account = createAccount(settings, now, changed)
  const codes = createCodes(settings, now)
  const faults = createFaultQueue(changed)
  const links = createLinks(origin, now, changed)
  const messages = createMessageStore({
    now,
    codeStatusOf: (message) => codeStatusOf(message, codes, now(message.phone)),
    changed,
    onMessage: settings.onMessage,
  })
  const requests = createRequestLog(now, changed)

  const catalogue = catalogueOf(settings)
  const dispatch = createDispatch(account, messages, now)
  const handle = createService(catalogue, account, createResponder(catalogue, settings, now), {
    ...accountOperations(account),
    ...messageOperations(dispatch, messages),
    ...codeOperations(account, dispatch, codes, settings),
    ...urlOperations(account, links),
  })

  /** Deletes all recorded events. */
  function reset(): void {
    clock.reset()
    for (const part of [codes, faults, links, messages, requests]) part.clear()
    account.reset()
    changed()
  }

  return { catalogue, handle, account, clock, faults, links, messages, requests, changes, reset }
}
