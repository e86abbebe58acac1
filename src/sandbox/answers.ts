import { digitsOf } from './account.js'
import type { Message } from './inbox.js'
import { type Refusal, type RefusalReason, refusalNumbers } from './refusals.js'
import { type MessageState, stateAt } from './timeline.js'

/** Which shapes the sandbox answers in: those of the specification, or those seen in the field. */
export type Dialect = 'spec' | 'observed'

/** A complete answer: status and JSON body. */
export interface Answer {
  readonly status: number
  readonly body: unknown
}

/** What is known in the sandbox's own words, in the words of the wire. */
export interface Answers {
  balance(credits: number): unknown
  /** A code that was sent, with what carried it. */
  codeSent(message: Message, minutes: number): unknown
  codeRight(): unknown
  refusal(refusal: Refusal): Answer
}

const stateWords = {
  spec: {
    sent: 'sent',
    delivered: 'delivered',
    read: 'read',
    rejected: 'rejected',
    unreachable: 'unreachable',
    blocked: 'blocked',
    ringing: 'ringing',
    answered: 'answered',
    'no-answer': 'no answer',
    voicemail: 'voicemail',
  },
  // The first five were seen; no word was ever seen for the others.
  observed: {
    sent: 'Enviado',
    delivered: 'Entregado',
    read: 'Leído',
    rejected: 'Rechazado',
    unreachable: 'Error:1081 msg: Destino inaccesible',
    blocked: 'Bloqueado',
    ringing: 'Llamando',
    answered: 'Contestada',
    'no-answer': 'Sin respuesta',
    voicemail: 'Buzón de voz',
  },
} as const satisfies Record<Dialect, Record<MessageState, string>>

export interface AnswerRules {
  readonly dialect: Dialect
  readonly wrongCode: 200 | 400 | 520
  readonly approvedStatus: string | number
}

const codeRefusals: readonly RefusalReason[] = ['wrongCode', 'expiredCode', 'usedCode', 'noCode']

export function createAnswers(
  { dialect, wrongCode, approvedStatus }: AnswerRules,
  now: () => number,
): Answers {
  const observed = dialect === 'observed'
  const stateOf = (message: Message) => stateWords[dialect][stateAt(message.timeline, now())]

  return {
    // `status` was seen as a success flag beside a `balance` of its own.
    balance: (credits) => (observed ? { status: 1, balance: credits } : { status: credits }),

    codeSent(message, minutes) {
      const entry =
        message.channel === 'sms'
          ? {
              id: message.id,
              status: stateOf(message),
              credits: message.credits,
              sms: message.text,
              phone: message.phone,
            }
          : {
              id: message.id,
              state: stateOf(message),
              credits: message.credits,
              phone: Number(digitsOf(message.phone)),
              voice: message.voice,
            }
      return {
        id: message.groupId,
        status: observed ? '1' : 'sent',
        minutes_to_expire: minutes,
        data: observed ? entry : [entry],
      }
    },

    codeRight: () => ({ status: approvedStatus }),

    refusal({ refused, msg }) {
      const aboutCode = codeRefusals.includes(refused)
      if (aboutCode && wrongCode === 200) return { status: 200, body: { status: 'rejected' } }
      const number = refusalNumbers[refused]
      // In the field `error` is a number, and bad parameters are a 400.
      const error = observed ? number : String(number)
      const status = aboutCode ? wrongCode : observed && refused === 'parameters' ? 400 : 520
      return { status, body: { error, msg } }
    },
  }
}
