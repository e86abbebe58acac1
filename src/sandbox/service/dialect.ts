import { z } from 'zod'
import { type Operation, type OperationName, operations } from '../../provider/operations.js'
import { anyVoice, oneOf, optional, type Parameter } from '../../provider/parameter-schemas.js'
import { blockedChannels } from '../account.js'

/** Which interface the sandbox serves: that of the specification, or the one seen in the field. */
export type Dialect = 'spec' | 'observed'

/** An operation with the parameters, as they travel, and the paths of its dialect. */
export interface CatalogueOperation extends Omit<Operation, 'params'> {
  readonly params: Readonly<Record<string, z.ZodType>>
  /** Other paths to the same operation. */
  readonly otherPaths?: readonly string[]
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
    { ...operation, params: wireShape(operation.params()) },
  ]),
) as unknown as Catalogue

const call = operations.sendCall.params()
const codeCall = operations.sendCallCode.params()

/** What services in the field accept beyond the documented interface. */
const observed: Catalogue = {
  ...spec,
  blockPhone: {
    ...spec.blockPhone,
    params: {
      ...spec.blockPhone.params,
      channel: wireOf(optional(oneOf(blockedChannels), 'What is blocked.')),
    },
  },
  sendSms: { ...spec.sendSms, otherPaths: ['/sms/send'] },
  sendCall: {
    ...spec.sendCall,
    params: {
      ...spec.sendCall.params,
      voice: wireOf({ ...call.voice, schema: oneOf(anyVoice) }),
      'leave-voicemail': wireOf(call['leave-voicemail'], true),
    },
  },
  sendSmsCode: { ...spec.sendSmsCode, otherPaths: ['/sms/2fa/send'] },
  sendCallCode: {
    ...spec.sendCallCode,
    otherPaths: ['/call/2fa/send', '/2fa/send-call'],
    params: {
      ...spec.sendCallCode.params,
      voice: wireOf({ ...codeCall.voice, schema: oneOf(anyVoice) }, 'Mariana'),
      retries: wireOf(codeCall.retries, '1'),
    },
  },
}

export function catalogueOf(dialect: Dialect): Catalogue {
  return dialect === 'observed' ? observed : spec
}
