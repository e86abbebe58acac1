import type { BlockedPhone } from '../account.js'
import type { Metric } from '../clicks.js'
import { digitsOf } from '../numbers.js'
import type { ShortLink } from '../short-links.js'
import type { Message } from '../timeline.js'
import { type MessageState, stateAt } from '../timeline.js'
import type { Dialect } from './dialect.js'
import { type Refusal, type RefusalReason, refusalNumbers } from './refusals.js'

/** A complete response: status and JSON body. */
export interface ServiceResponse {
  readonly status: number
  readonly body: unknown
}

/** At least one message of one group. */
type Group = readonly [Message, ...Message[]]

/** Response bodies, in the shapes of a dialect. */
export interface Responder {
  balance(credits: number): unknown
  blocked(entry: BlockedPhone): unknown
  textsSent(group: Group): unknown
  callsPlaced(group: Group): unknown
  messageStates(group: Group): unknown
  /** A code that was sent, with the message that carries it. */
  codeSent(message: Message, minutes: number): unknown
  codeRight(): unknown
  link(link: ShortLink, msg: string): unknown
  statistics(link: ShortLink, clicks: number, metrics: readonly Metric[]): unknown
  refusal(refusal: Refusal): ServiceResponse
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
  // The first five were seen; the other words are the sandbox's own.
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

export interface ResponseRules {
  readonly dialect: Dialect
  readonly wrongCode: 200 | 400 | 520
  readonly approvedStatus: string | number
}

const codeRefusals: readonly RefusalReason[] = ['wrongCode', 'expiredCode', 'usedCode', 'noCode']

export function createResponder(
  { dialect, wrongCode, approvedStatus }: ResponseRules,
  now: (phone: string) => number,
): Responder {
  const observed = dialect === 'observed'
  const stateOf = (message: Message) => stateWords[dialect][stateAt(message.timeline, now(message.phone))]
  // In the field, a send reported 0 credits, and the message state reported them as a string.
  const priceOf = (message: Message) => (observed ? 0 : message.credits)

  /** In the field, a list of one was the entry itself. */
  function listed(entries: readonly unknown[]): unknown {
    return observed && entries.length === 1 ? entries[0] : entries
  }

  function textEntry(message: Message) {
    const { id, text, phone } = message
    const state = stateOf(message)
    return { id, ...(observed ? { state } : { status: state }), credits: priceOf(message), sms: text, phone }
  }

  function callEntry(message: Message) {
    const { id, text, phone, voice = '' } = message
    return { id, state: stateOf(message), credits: priceOf(message), message: text, phone, voice }
  }

  function codeCallEntry(message: Message) {
    const { message: _spoken, ...entry } = callEntry(message)
    return { ...entry, phone: Number(digitsOf(message.phone)) }
  }

  function stateEntry(message: Message) {
    const created = new Date(message.at).toISOString()
    return {
      state: stateOf(message),
      credits: observed ? String(message.credits) : message.credits,
      phone: Number(digitsOf(message.phone)),
      // The format is not documented.
      created: observed ? created : created.slice(0, 19).replace('T', ' '),
      sms: message.text,
      dispatch_id: message.groupId,
      id: message.id,
    }
  }

  return {
    // In the field, `status` is a success flag and `balance` holds the credits.
    balance: (credits) => (observed ? { status: 1, balance: credits } : { status: credits }),
    blocked: ({ id, phone, name }) => ({ id, status: observed ? '1' : 'blocked', phone, name }),
    textsSent: (group) => ({ id: group[0].groupId, status: 1, data: listed(group.map(textEntry)) }),
    callsPlaced: (group) => ({
      status: observed ? '1' : 'sent',
      id: group[0].groupId,
      data: listed(group.map(callEntry)),
    }),
    // The specification returns one object for a group: its first message. Any message has its own id too.
    messageStates: (group) => (observed ? group.map(stateEntry) : stateEntry(group[0])),
    codeSent: (message, minutes) => ({
      id: message.groupId,
      status: observed ? '1' : 'sent',
      minutes_to_expire: minutes,
      data: listed([message.channel === 'sms' ? textEntry(message) : codeCallEntry(message)]),
    }),
    codeRight: () => ({ status: approvedStatus }),
    link: ({ urlShort, urlLong }, msg) => ({ urlShort, urlLong, msg }),
    statistics: ({ urlShort, urlLong }, clicksNumber, metrics) => ({
      urlShort,
      urlLong,
      clicksNumber,
      metrics: observed && metrics.length === 0 ? null : listed(metrics),
    }),
    refusal({ refused, msg }) {
      const aboutCode = codeRefusals.includes(refused)
      if (aboutCode && wrongCode === 200) return { status: 200, body: { status: 'rejected' } }
      const number = refusalNumbers[refused]
      // In the field, `error` is a number and bad parameters are a 400.
      const error = observed ? number : String(number)
      const status = aboutCode ? wrongCode : observed && refused === 'parameters' ? 400 : 520
      return { status, body: { error, msg } }
    },
  }
}
