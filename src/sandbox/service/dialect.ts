import {
  callVoices,
  codeCallVoices,
  type Operation,
  type OperationName,
  operations,
  type Parameter,
} from '../../provider/operations.js'

/** Which interface the sandbox serves: that of the specification, or the one seen in the field. */
export type Dialect = 'spec' | 'observed'

/** A parameter as the sandbox reads it. */
export interface ParameterRule extends Parameter {
  /** Used when the parameter is absent. */
  readonly byDefault?: string
}

/** An operation with the parameters and paths of its dialect. */
export interface CatalogueOperation extends Operation {
  readonly params: Readonly<Record<string, ParameterRule>>
  /** Other paths to the same operation. */
  readonly otherPaths?: readonly string[]
}

export type Catalogue = Readonly<Record<OperationName, CatalogueOperation>>

const everyVoice = [...new Set([...codeCallVoices, ...callVoices])]

/** What services in the field accept beyond the documented interface. */
const observed: Catalogue = {
  ...operations,
  blockPhone: {
    ...operations.blockPhone,
    params: {
      ...operations.blockPhone.params,
      channel: { type: 'string', allowed: ['SMS', 'CALL', 'WA', 'ALL'], description: 'What is blocked.' },
    },
  },
  sendSms: { ...operations.sendSms, otherPaths: ['/sms/send'] },
  sendCall: {
    ...operations.sendCall,
    params: {
      ...operations.sendCall.params,
      voice: {
        type: 'string',
        allowed: everyVoice,
        description: operations.sendCall.params.voice.description,
      },
      'leave-voicemail': { ...operations.sendCall.params['leave-voicemail'], byDefault: 'true' },
    },
  },
  sendSmsCode: { ...operations.sendSmsCode, otherPaths: ['/sms/2fa/send'] },
  sendCallCode: {
    ...operations.sendCallCode,
    otherPaths: ['/call/2fa/send', '/2fa/send-call'],
    params: {
      ...operations.sendCallCode.params,
      voice: {
        type: 'string',
        allowed: everyVoice,
        byDefault: 'Mariana',
        description: operations.sendCallCode.params.voice.description,
      },
      retries: {
        type: 'string',
        byDefault: '1',
        description: operations.sendCallCode.params.retries.description,
      },
    },
  },
}

export function catalogueOf(dialect: Dialect): Catalogue {
  return dialect === 'observed' ? observed : operations
}
