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

export type Responder = ReturnType<typeof createResponder>

/** The words of the field. The first five were seen; the others are the sandbox's own. */
const observedStates: Readonly<Record<MessageState, string>> = {
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
}

export interface ResponseRules {
  readonly dialect: Dialect
  readonly wrongCode: 200 | 400 | 520
  readonly approvedStatus: string | number
}

const codeRefusals: readonly RefusalReason[] = ['wrongCode', 'expiredCode', 'usedCode', 'noCode']

/** Response bodies, in the shapes of a dialect. */
export function createResponder(
  { dialect, wrongCode, approvedStatus }: ResponseRules,
  now: (phone: string) => number,
) {
  const observed = dialect === 'observed'
  // In the field, a send reported 0 credits, and the message state reported them as a string.
  const priceOf = (message: Message) => (observed ? 0 : message.credits)

  function stateOf({ timeline, phone }: Message): string {
    const state = stateAt(timeline, now(phone))
    return observed ? observedStates[state] : state.replace('-', ' ')
  }

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
    balance: (credits: number) => (observed ? { status: 1, balance: credits } : { status: credits }),
    blocked: ({ id, phone, name }: BlockedPhone) => ({ id, status: observed ? '1' : 'blocked', phone, name }),
    textsSent: (group: Group) => ({ id: group[0].groupId, status: 1, data: listed(group.map(textEntry)) }),
    callsPlaced: (group: Group) => ({
      status: observed ? '1' : 'sent',
      id: group[0].groupId,
      data: listed(group.map(callEntry)),
    }),
    // The specification returns one object for a group: its first message. Any message has its own id too.
    messageStates: (group: Group) => (observed ? group.map(stateEntry) : stateEntry(group[0])),
    /** A code that was sent, with the message that carries it. */
    codeSent: (message: Message, minutes: number) => ({
      id: message.groupId,
      status: observed ? '1' : 'sent',
      minutes_to_expire: minutes,
      data: listed([message.channel === 'sms' ? textEntry(message) : codeCallEntry(message)]),
    }),
    codeRight: () => ({ status: approvedStatus }),
    link: ({ urlShort, urlLong }: ShortLink, msg: string) => ({ urlShort, urlLong, msg }),
    statistics: ({ urlShort, urlLong }: ShortLink, clicksNumber: number, metrics: readonly Metric[]) => ({
      urlShort,
      urlLong,
      clicksNumber,
      metrics: observed && metrics.length === 0 ? null : listed(metrics),
    }),
    refusal({ refused, msg }: Refusal): ServiceResponse {
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
