import { randomUUID } from 'node:crypto'
import type { Account } from './account.js'
import type { Answers } from './answers.js'
import { type CodeRules, type Codes, knownCode } from './codes.js'
import { fixedResultOf } from './fixed-numbers.js'
import type { Mailroom, Message } from './inbox.js'
import { readPhones } from './parameters.js'
import { type Outcome, type Refusal, type RefusalReason, refuse } from './refusals.js'
import type { Handlers } from './service.js'
import { callTimeline, refundedAt, textTimeline } from './timeline.js'

interface CodeOperationParts {
  readonly account: Account
  readonly codes: Codes
  readonly codeRules: CodeRules
  readonly mailroom: Mailroom
  readonly answers: Answers
  readonly appNames: readonly string[] | 'any'
  readonly now: () => number
}

export const textPrice = 1
export const callPrice = 2
const mostAttempts = 10

/** The two-factor operations: send a code by text, send it by call, verify it. */
export function codeOperations(
  parts: CodeOperationParts,
): Pick<Handlers, 'sendSmsCode' | 'sendCallCode' | 'verifyCode'> {
  const { account, codes, codeRules, mailroom, answers, appNames, now } = parts
  const minutes = Math.floor(codeRules.lifetimeMs / 60_000)

  function unknownApp(appName: string): Refusal | undefined {
    if (appNames === 'any' || appNames.includes(appName)) return undefined
    return refuse('appName', 'The account has no application of this name.')
  }

  /** Refuses what cannot be sent, takes the price, and gives the code to be carried. */
  function book(phone: string, appName: string, channel: 'SMS' | 'CALL', price: number): string | Refusal {
    if (readPhones(phone)?.length !== 1) return refuse('parameters', 'phone must be one phone number.')
    const unknown = unknownApp(appName)
    if (unknown !== undefined) return unknown
    const fixed = fixedResultOf(phone)
    if (fixed === 'refused') return refuse('destination', 'The destination is not served.')
    if (account.isBlocked(phone, channel)) return refuse('blocked', 'The number is blocked.')
    if (!account.charge(price)) return refuse('credits', 'The account has not enough credits.')
    return codes.issue(phone, appName, fixed === 'knownCode' ? knownCode(codeRules) : undefined)
  }

  function carry(message: Omit<Message, 'id' | 'groupId' | 'at'>): Outcome {
    const filed = { ...message, id: randomUUID(), groupId: randomUUID(), at: now() }
    const refund = refundedAt(message.timeline)
    if (refund !== undefined) account.refund(message.credits, refund)
    mailroom.deliver(filed)
    return { body: answers.codeSent(filed, minutes) }
  }

  return {
    sendSmsCode({ phone, 'app-name': appName }, requestId) {
      const code = book(phone, appName, 'SMS', textPrice)
      if (typeof code !== 'string') return code
      return carry({
        channel: 'sms',
        phone,
        appName,
        code,
        text: `${code} is your ${appName} code. It works for ${minutes} minutes.`,
        credits: textPrice,
        timeline: textTimeline(phone, now()),
        requestId,
      })
    },

    sendCallCode({ phone, 'app-name': appName, voice, retries }, requestId) {
      const attempts = Number(retries)
      if (!/^\d{1,2}$/.test(retries) || attempts < 1 || attempts > mostAttempts) {
        return refuse('parameters', `retries must be a number from 1 to ${mostAttempts}.`)
      }
      const code = book(phone, appName, 'CALL', callPrice)
      if (typeof code !== 'string') return code
      const spelled = [...code].join(', ')
      return carry({
        channel: 'call',
        phone,
        appName,
        code,
        voice,
        text: `Your ${appName} code is ${spelled}. Again: ${spelled}.`,
        credits: callPrice,
        timeline: callTimeline(phone, now(), { attempts, leaveVoicemail: false }),
        requestId,
      })
    },

    verifyCode({ phone, 'app-name': appName, code }) {
      const unknown = unknownApp(appName)
      if (unknown !== undefined) return unknown
      const found = codes.check(phone, appName, code)
      if (found === 'right' && fixedResultOf(phone) !== 'expiredCode') {
        return { body: answers.codeRight() }
      }
      const [reason, msg] = notApproved[found === 'right' ? 'expired' : found]
      return refuse(reason, msg)
    },
  }
}

const notApproved = {
  wrong: ['wrongCode', 'The code is wrong.'],
  expired: ['expiredCode', 'The code has expired.'],
  used: ['usedCode', 'The code was used before.'],
  none: ['noCode', 'No code was sent to this number for this application.'],
} as const satisfies Record<string, readonly [RefusalReason, string]>
