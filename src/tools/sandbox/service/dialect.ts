import { z } from 'zod'
import { entriesOf, integer, list, text } from '../../../provider/answer-schemas.js'
import { type Operation, type OperationName, operations } from '../../../provider/operations.js'
import { anyVoice, oneOf, optional, type Parameter } from '../../../provider/parameter-schemas.js'
import { blockedChannels } from '../account.js'
import type { SandboxSettings } from '../options.js'

/** An operation with the parameters, as they travel, the answer and the paths of its dialect. */
export interface CatalogueOperation extends Omit<Operation, 'params' | 'fields'> {
  readonly params: Readonly<Record<string, z.ZodType>>
  readonly fields: z.ZodRawShape
  /** Other paths to the same operation. */
  readonly otherPaths: readonly string[]
}

export type Catalogue = Readonly<Record<OperationName, CatalogueOperation>>

/** What travels, without what a program may pass in its place. */
function wireOf({ schema, required, description }: Parameter, byDefault?: unknown): z.ZodType {
  const text = schema instanceof z.ZodPipe ? (schema.out as z.ZodType) : schema
  const wire = byDefault !== undefined ? text.default(byDefault) : required ? text : text.optional()
  return wire.describe(description)
}

export function wireShape(params: ReturnType<Operation['params']>): CatalogueOperation['params'] {
  return Object.fromEntries(Object.entries(params).map(([name, parameter]) => [name, wireOf(parameter)]))
}

const spec = Object.fromEntries(
  Object.entries<Operation>(operations).map(([name, operation]) => [
    name,
    { ...operation, otherPaths: [], params: wireShape(operation.params()), fields: operation.fields() },
  ]),
) as unknown as Catalogue

const call = operations.sendCall.params()
const codeCall = operations.sendCallCode.params()

/** The status of an entry is called its state. */
function withStates({ data, ...fields }: z.ZodRawShape): z.ZodRawShape {
  const entry = Object.entries(entriesOf(data) ?? {}).map(([name, field]) => [
    name === 'status' ? 'state' : name,
    field,
  ])
  return { ...fields, data: list(Object.fromEntries(entry)) }
}

/** What services in the field accept and answer beyond the documented interface. */
const differences: { readonly [Name in OperationName]?: Partial<CatalogueOperation> } = {
  balance: { fields: { balance: integer() } },
  blockPhone: { params: { channel: wireOf(optional(oneOf(blockedChannels), 'What is blocked.')) } },
  sendSms: { otherPaths: ['/sms/send'], fields: withStates(spec.sendSms.fields) },
  sendCall: {
    params: {
      voice: wireOf({ ...call.voice, schema: oneOf(anyVoice) }),
      'leave-voicemail': wireOf(call['leave-voicemail'], true),
    },
  },
  messageState: { fields: { credits: text() } },
  sendSmsCode: { otherPaths: ['/sms/2fa/send'], fields: withStates(spec.sendSmsCode.fields) },
  sendCallCode: {
    otherPaths: ['/call/2fa/send', '/2fa/send-call'],
    params: {
      voice: wireOf({ ...codeCall.voice, schema: oneOf(anyVoice) }, 'Mariana'),
      retries: wireOf(codeCall.retries, '1'),
    },
  },
}

const observed = Object.fromEntries(
  Object.entries(spec).map(([name, { params, fields, ...operation }]) => {
    const { params: others, fields: more, otherPaths = [] } = differences[name as OperationName] ?? {}
    return [
      name,
      { ...operation, otherPaths, params: { ...params, ...others }, fields: { ...fields, ...more } },
    ]
  }),
) as unknown as Catalogue

/** Every path of the field, for who uses one by mistake. */
export const observedPaths = Object.values(observed).flatMap(pathsOf)

/** All paths of an operation. */
export function pathsOf({ path, otherPaths }: CatalogueOperation): readonly string[] {
  return [path, ...otherPaths]
}

/** The operations as a sandbox with these settings serves them. */
export function catalogueOf({ dialect, wrongCode, approvedStatus }: SandboxSettings): Catalogue {
  const catalogue = dialect === 'observed' ? observed : spec
  // With `wrongCode: 200`, a rejected code has a word of its own in the same place.
  const statuses = wrongCode === 200 ? [approvedStatus, 'rejected'] : [approvedStatus]
  const fields = { status: z.literal(statuses).optional() }
  return { ...catalogue, verifyCode: { ...catalogue.verifyCode, fields } }
}
