import type { Account } from '../account.js'
import { type CodeRules, type Codes, knownCode } from '../codes.js'
import { fixedResultOf } from '../numbers.js'
import type { Message } from '../timeline.js'
import type { Delivery, Dispatch } from './dispatch.js'
import { callPrice, textPrice } from './dispatch.js'
import { isRefusal, type Outcome, type Refusal, refuse } from './refusals.js'
import type { Responder } from './responder.js'
import type { Handlers } from './service.js'

interface CodeOperationParts {
  readonly account: Account
  readonly dispatch: Dispatch
  readonly codes: Codes
  readonly codeRules: CodeRules
  readonly responder: Responder
  /** Any without. */
  readonly appNames: readonly string[] | undefined
}

/** The documentation states a maximum for ordinary calls only; this one is the sandbox's own. */
const maxAttempts = 10

const notApproved = {
  wrong: refuse('wrongCode', 'The code is wrong.'),
  expired: refuse('expiredCode', 'The code has expired.'),
  used: refuse('usedCode', 'The code was used before.'),
  none: refuse('noCode', 'No code was sent to this number for this application.'),
}

/** The two-factor operations: send a code by SMS or call, verify it. */
export function codeOperations(
  parts: CodeOperationParts,
): Pick<Handlers, 'sendSmsCode' | 'sendCallCode' | 'verifyCode'> {
  const { account, dispatch, codes, codeRules, responder, appNames } = parts
  const minutes = Math.floor(codeRules.lifetimeMs / 60_000)

  function unknownApp(appName: string): Refusal | undefined {
    if (appNames?.includes(appName) ?? true) return undefined
    return refuse('appName', 'The account has no application of this name.')
  }

  function send(
    phone: string,
    appName: string,
    delivery: Delivery,
    contentOf: (code: string) => Pick<Message, 'text' | 'voice' | 'requestId'>,
  ): Outcome {
    const unknown = unknownApp(appName)
    if (unknown !== undefined) return unknown
    if (account.isBlocked(phone, delivery.channel)) return refuse('blocked', 'The number is blocked.')
    // Booked before a code is issued: a refused send must not void the live code.
    const booked = dispatch.book([phone], delivery)
    if (isRefusal(booked)) return booked
    const fixed = fixedResultOf(phone) === 'knownCode' ? knownCode(codeRules) : undefined
    const code = codes.issue(phone, appName, fixed)
    const [message] = booked.send({ ...contentOf(code), code, appName })
    return { body: responder.codeSent(message, minutes) }
  }

  return {
    sendSmsCode({ phone, 'app-name': appName }, requestId) {
      const textOf = (code: string) => `${code} is your ${appName} code. It works for ${minutes} minutes.`
      const price = textPrice(textOf('0'.repeat(codeRules.length)))
      return send(phone, appName, { channel: 'sms', price }, (code) => ({ text: textOf(code), requestId }))
    },

    sendCallCode({ phone, 'app-name': appName, voice, retries }, requestId) {
      const attempts = Number(retries)
      if (attempts > maxAttempts) return refuse('parameters', `retries must be at most ${maxAttempts}.`)
      const options = { attempts, leaveVoicemail: false }
      return send(phone, appName, { channel: 'call', price: callPrice, options }, (code) => {
        const spelled = [...code].join(', ')
        return { text: `Your ${appName} code is ${spelled}. Again: ${spelled}.`, voice, requestId }
      })
    },

    verifyCode({ phone, 'app-name': appName, code }) {
      const unknown = unknownApp(appName)
      if (unknown !== undefined) return unknown
      const found = codes.check(phone, appName, code)
      if (found === 'right' && fixedResultOf(phone) !== 'expiredCode') return { body: responder.codeRight() }
      return notApproved[found === 'right' ? 'expired' : found]
    },
  }
}
