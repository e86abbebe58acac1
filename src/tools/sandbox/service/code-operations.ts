import type { Account } from '../account.js'
import type { Codes } from '../codes.js'
import type { SandboxSettings } from '../options.js'
import type { Message } from '../timeline.js'
import { byCall, byText, type Delivery, type Dispatch } from './dispatch.js'
import { isRefusal, type Outcome, type Refusal, refuse } from './refusals.js'
import type { Handlers } from './service.js'

/** The documentation states a maximum only for ordinary calls. This maximum is the sandbox's own. */
const maxAttempts = 10

const notApproved = {
  wrong: refuse('wrongCode', 'The code is wrong.'),
  expired: refuse('expiredCode', 'The code has expired.'),
  used: refuse('usedCode', 'The code was used before.'),
  none: refuse('noCode', 'No code was sent to this number for this application.'),
}

/** Creates the two-factor operations: send a code by SMS or call, verify it. */
export function codeOperations(
  account: Account,
  dispatch: Dispatch,
  codes: Codes,
  settings: SandboxSettings,
): Pick<Handlers, 'sendSmsCode' | 'sendCallCode' | 'verifyCode'> {
  const { appNames, approvedStatus, codeLength, codeLifetimeMs } = settings
  const minutes = Math.floor(codeLifetimeMs / 60_000)

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
    const sent = dispatch([phone], delivery, () => {
      // Issued last: a refused send must not void the live code.
      const code = codes.issue(phone, appName)
      return { ...contentOf(code), code, appName }
    })
    return isRefusal(sent) ? sent : { data: sent, status: 'sent', minutes_to_expire: minutes }
  }

  return {
    sendSmsCode({ phone, 'app-name': appName }, requestId) {
      const textOf = (code: string) => `${code} is your ${appName} code. It works for ${minutes} minutes.`
      return send(phone, appName, byText(textOf('0'.repeat(codeLength))), (code) => ({
        text: textOf(code),
        requestId,
      }))
    },

    sendCallCode({ phone, 'app-name': appName, voice, retries }, requestId) {
      const attempts = Number(retries)
      if (attempts > maxAttempts) return refuse('parameters', `retries must be at most ${maxAttempts}.`)
      return send(phone, appName, byCall({ attempts, leaveVoicemail: false }), (code) => {
        const spelled = [...code].join(', ')
        return { text: `Your ${appName} code is ${spelled}. Again: ${spelled}.`, voice, requestId }
      })
    },

    verifyCode({ phone, 'app-name': appName, code }) {
      const unknown = unknownApp(appName)
      if (unknown !== undefined) return unknown
      const found = codes.check(phone, appName, code)
      return found === 'right' ? { status: approvedStatus } : notApproved[found]
    },
  }
}
