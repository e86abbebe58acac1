import { z } from 'zod'
import { entryShapeOf, lenientInteger, lenientList, lenientText } from '../../../provider/answer-schemas.js'
import { type Operation, type OperationName, operations } from '../../../provider/operations.js'
import { anyVoice, choiceOf, optionalParameter, type Parameter } from '../../../provider/parameter-schemas.js'
import { blockedChannels } from '../account.js'
import type { SandboxSettings } from '../options.js'

/** An operation in its dialect: wire parameters, response and paths. */
export interface CatalogueOperation extends Omit<Operation, 'params' | 'fields'> {
  readonly params: Readonly<Record<string, z.ZodType>>
  readonly fields: z.ZodRawShape
  /** Alternative paths. */
  readonly otherPaths: readonly string[]
}

export type Catalogue = Readonly<Record<OperationName, CatalogueOperation>>

/** Returns the wire format of a parameter, without the alternatives that the client accepts from programs. */
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

/** Renames the status of an entry to `state`. */
function withStates({ data, ...fields }: z.ZodRawShape): z.ZodRawShape {
  const entry = Object.entries(entryShapeOf(data) ?? {}).map(([name, field]) => [
    name === 'status' ? 'state' : name,
    field,
  ])
  return { ...fields, data: lenientList(Object.fromEntries(entry)) }
}

/** Deviations of services in the field from the documented interface. */
const differences: { readonly [Name in OperationName]?: Partial<CatalogueOperation> } = {
  balance: { fields: { balance: lenientInteger() } },
  blockPhone: {
    params: { channel: wireOf(optionalParameter(choiceOf(blockedChannels), 'What is blocked.')) },
  },
  sendSms: { otherPaths: ['/sms/send'], fields: withStates(spec.sendSms.fields) },
  sendCall: {
    params: {
      voice: wireOf({ ...call.voice, schema: choiceOf(anyVoice) }),
      'leave-voicemail': wireOf(call['leave-voicemail'], true),
    },
  },
  messageState: { fields: { credits: lenientText() } },
  sendSmsCode: { otherPaths: ['/sms/2fa/send'], fields: withStates(spec.sendSmsCode.fields) },
  sendCallCode: {
    otherPaths: ['/call/2fa/send', '/2fa/send-call'],
    params: {
      voice: wireOf({ ...codeCall.voice, schema: choiceOf(anyVoice) }, 'Mariana'),
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

/** Every path in the field, for hints to a caller that uses it by mistake. */
export const observedPaths = Object.values(observed).flatMap(pathsOf)

/** Returns all paths of an operation. */
export function pathsOf({ path, otherPaths }: CatalogueOperation): readonly string[] {
  return [path, ...otherPaths]
}

/** Returns the operations of a sandbox with these settings. */
export function catalogueOf({ dialect, wrongCode, approvedStatus }: SandboxSettings): Catalogue {
  const catalogue = dialect === 'observed' ? observed : spec
  // With `wrongCode: 200`, a rejected code has its own word in this member.
  const statuses = wrongCode === 200 ? [approvedStatus, 'rejected'] : [approvedStatus]
  const fields = { status: z.literal(statuses).optional() }
  return { ...catalogue, verifyCode: { ...catalogue.verifyCode, fields } }
}
