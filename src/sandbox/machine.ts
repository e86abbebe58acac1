import type { OperationName } from '../provider/operations.js'
import { type Account, createAccount } from './account.js'
import { createClock, type SandboxClock } from './clock.js'
import { createCodes } from './codes.js'
import { createFaults, type FaultBox } from './faults.js'
import { createMailroom, type Mailroom } from './inbox.js'
import type { SandboxSettings } from './options.js'
import { createRequestLog, type RequestLogKeeper } from './request-log.js'
import { accountOperations } from './service/account-operations.js'
import { type Answer, createResponder } from './service/answers.js'
import { codeOperations } from './service/code-operations.js'
import { type Offer, offerOf } from './service/dialect.js'
import { createDispatch } from './service/dispatch.js'
import { messageOperations } from './service/message-operations.js'
import { createService, type ServiceCall } from './service/service.js'
import { urlOperations } from './service/url-operations.js'
import { createLinks, type LinkKeeper } from './short-links.js'

/** The whole provider in memory, without HTTP. */
export interface Machine {
  readonly offer: Offer
  readonly answerTo: (name: OperationName, call: ServiceCall) => Answer
  readonly account: Account
  readonly clock: SandboxClock
  readonly faults: FaultBox
  readonly links: LinkKeeper
  readonly mailroom: Mailroom
  readonly requests: RequestLogKeeper
  /** Forgets everything that happened. */
  reset(): void
}

/** `origin` is where short URLs lead to. */
export function createMachine(settings: SandboxSettings, origin: string): Machine {
  const clock = createClock(settings.now)
  const { now } = clock
  const account = createAccount(settings, now)
  const codeRules = {
    alphabet: settings.codeAlphabet,
    length: settings.codeLength,
    lifetimeMs: settings.codeLifetimeMs,
    resend: settings.resend,
  }
  const codes = createCodes(codeRules, now)
  const faults = createFaults()
  const links = createLinks(origin, now)
  const mailroom = createMailroom(now)
  const requests = createRequestLog(now)

  const offer = offerOf(settings.dialect)
  const answers = createResponder(settings, now)
  const dispatch = createDispatch(account, mailroom, now)
  const { appNames } = settings
  const answerTo = createService(offer, account, answers, {
    ...accountOperations(account, answers),
    ...messageOperations(dispatch, mailroom, answers),
    ...codeOperations({ account, dispatch, codes, codeRules, answers, appNames }),
    ...urlOperations(account, links, answers),
  })

  return {
    offer,
    answerTo,
    account,
    clock,
    faults,
    links,
    mailroom,
    requests,
    reset() {
      clock.reset()
      for (const part of [codes, faults, links, mailroom, requests]) part.clear()
      account.reset()
    },
  }
}
