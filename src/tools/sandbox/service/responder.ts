import { z } from 'zod'
import { entryShapeOf, shapeOf } from '../../../provider/answer-schemas.js'
import type { OperationName } from '../../../provider/operations.js'
import { digitsOf } from '../numbers.js'
import type { SandboxSettings } from '../options.js'
import { type Message, type MessageState, stateAt } from '../timeline.js'
import type { Catalogue } from './dialect.js'
import { type Facts, type Refusal, type RefusalReason, refusalNumbers } from './refusals.js'

/** A complete response: status and JSON body. */
export interface ServiceResponse {
  readonly status: number
  readonly body: unknown
}

export type Responder = ReturnType<typeof createResponder>

/** The words in the field. The first five were seen; the others are the sandbox's own. */
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

const codeRefusals: readonly RefusalReason[] = ['wrongCode', 'expiredCode', 'usedCode', 'noCode']

/** Creates the writer of responses: it selects the facts that the schema of an operation documents. */
export function createResponder(
  catalogue: Catalogue,
  { dialect, wrongCode }: SandboxSettings,
  now: (phone: string) => number,
) {
  const observed = dialect === 'observed'

  /** Returns the facts of a message under every member name that an entry has for them. */
  function factsOf({ id, groupId, text, phone, voice = '', credits, at, timeline }: Message) {
    const state = stateAt(timeline, now(phone))
    const word = observed ? observedStates[state] : state.replace('-', ' ')
    const time = new Date(at).toISOString()
    // The format is not documented.
    const created = observed ? time : time.slice(0, 19).replace('T', ' ')
    return {
      id,
      status: word,
      state: word,
      credits,
      sms: text,
      message: text,
      phone,
      voice,
      created,
      dispatch_id: groupId,
    }
  }

  function written(fields: z.ZodRawShape, facts: Readonly<Record<string, unknown>>): object {
    const all = Object.entries(fields).map(([name, field]) => {
      const { [name]: fact } = facts
      const members = shapeOf(field)
      if (members !== undefined) return [name, fact && written(members, fact as Facts)]
      const entry = entryShapeOf(field)
      if (entry !== undefined) return [name, listed((fact as Facts[]).map((one) => written(entry, one)))]
      // Where the documentation has an integer, the client accepts a phone's number as text.
      const isInteger = z.globalRegistry.get(field)?.type === 'integer'
      return [name, isInteger && typeof fact === 'string' ? Number(digitsOf(fact)) : z.parse(field, fact)]
    })
    return Object.fromEntries(all)
  }

  /** In the field, a list with one entry was sent as the entry. */
  function listed(entries: readonly object[]): unknown {
    return observed && entries.length < 2 ? (entries[0] ?? null) : entries
  }

  return {
    success(name: OperationName, { data = [], ...known }: Facts): ServiceResponse {
      const { fields } = catalogue[name]
      if (name === 'messageState') {
        const states = data.map((message) => written(fields, factsOf(message)))
        // The specification returns one object for a group: its first message. Each message also has its own id.
        return { status: 200, body: observed ? states : states[0] }
      }
      // In the field, a send reported 0 credits, and `status` is a success flag.
      const entries = data.map((message) => ({ ...factsOf(message), ...(observed && { credits: 0 }) }))
      const flag = observed && name !== 'verifyCode' && { status: 1 }
      return {
        status: 200,
        body: written(fields, { id: data[0]?.groupId, data: entries, ...known, ...flag }),
      }
    },
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
