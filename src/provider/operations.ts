/** The voices of a two-factor call. */
export const codeCallVoices = [
  'Mariana',
  'Penelope',
  'Conchita',
  'Mia',
  'Lucia',
  'Enrique',
  'Miguel',
] as const
/** The voices of a plain call. The documentation lists Marian here and Mariana above. */
export const callVoices = ['Marian', 'Penelope', 'Conchita', 'Mia', 'Lucia', 'Enrique', 'Miguel'] as const

/** Categories of the URL statistics that every short URL has. */
export const statisticCategories = ['date', 'hour', 'country', 'device', 'operatingSystem'] as const
/** Categories that only a premium short URL has. */
export const premiumCategories = ['region', 'city', 'brand', 'model', 'browser', 'lang'] as const

/** One parameter as it travels. */
export interface Parameter {
  readonly type: 'integer' | 'string' | 'boolean'
  readonly required?: true
  readonly allowed?: readonly string[]
  /** What the text has to look like, where its type does not say. */
  readonly format?:
    | 'phone'
    | 'phones'
    | 'country'
    | 'voice'
    | 'attempts'
    | 'count'
    | 'months'
    | 'date'
    | 'url'
  readonly description: string
}

/** One member of an answer. All members are optional: the documentation promises none. */
export type Field =
  | 'string'
  | 'integer'
  | 'number'
  | { readonly arrayOf: Fields }
  | { readonly object: Fields }
export interface Fields {
  readonly [name: string]: Field
}

export interface Operation {
  readonly summary: string
  readonly method: 'GET' | 'POST'
  /** Below the base URL, which ends in the version segment. */
  readonly path: string
  /** Parameters besides `client` and `key`, which every operation carries. */
  readonly params: Readonly<Record<string, Parameter>>
  /** Name and fields of the answer with HTTP 200. */
  readonly response: { readonly name: string; readonly fields: Fields }
}

/** Parameters that every operation carries: the account identifiers. */
export const accountParameters = {
  client: { type: 'integer', required: true, description: 'Account client identifier.' },
  key: { type: 'string', required: true, description: 'Account key.' },
} as const satisfies Record<string, Parameter>

/** The body of a failure, HTTP 520. */
export const errorResponse = { name: 'ErrorResponse', fields: { error: 'string', msg: 'string' } } as const

const countryCode = {
  type: 'string',
  format: 'country',
  description: 'ISO 3166 country code, CO for Colombia.',
} as const
const onePhone = { type: 'string', required: true, format: 'phone', description: 'Phone number.' } as const
const manyPhones = {
  type: 'string',
  required: true,
  format: 'phones',
  description: 'One number, or several separated by commas.',
} as const
const appName = {
  type: 'string',
  required: true,
  description: 'Name of the application for which the code is generated.',
} as const
const tally = { property: 'string', clicks: 'integer' } as const
const share = { property: 'string', clicks: 'integer', percent: 'number' } as const

/** The wire contract of the provider, once. Everything else that names a path or a parameter reads it here. */
export const operations = {
  balance: {
    summary: 'Credits available on the account',
    method: 'GET',
    path: '/balance',
    params: {},
    response: { name: 'ResponseBalance', fields: { status: 'integer' } },
  },
  blockPhone: {
    summary: 'Block a phone number, so that no SMS is sent to it',
    method: 'POST',
    path: '/block-phone',
    params: {
      phone: { type: 'string', required: true, format: 'phone', description: 'Number to block.' },
      name: { type: 'string', description: 'Contact name.' },
    },
    response: {
      name: 'ResponseSecurity',
      fields: { id: 'string', status: 'string', phone: 'string', name: 'string' },
    },
  },
  sendSms: {
    summary: 'Send an SMS to one or several numbers',
    method: 'POST',
    path: '/send-sms',
    params: {
      phone: manyPhones,
      sms: { type: 'string', required: true, description: 'Text sent to every number.' },
      'country-code': countryCode,
    },
    response: {
      name: 'ResponseSMS',
      fields: {
        id: 'string',
        status: 'integer',
        data: {
          arrayOf: { id: 'string', status: 'string', credits: 'integer', sms: 'string', phone: 'string' },
        },
      },
    },
  },
  sendCall: {
    summary: 'Place a voice call to one or several numbers',
    method: 'POST',
    path: '/call/send',
    params: {
      phone: manyPhones,
      message: { type: 'string', description: 'Text spoken. Required when audio-code is not sent.' },
      voice: {
        type: 'string',
        allowed: callVoices,
        format: 'voice',
        description: 'Voice of the call. Required when audio-code is not sent.',
      },
      retries: {
        type: 'string',
        allowed: ['1', '2', '3'],
        format: 'attempts',
        description: 'Number of call attempts, at most 3.',
      },
      'leave-voicemail': { type: 'boolean', description: 'Leave a voicemail when nobody answers.' },
      'country-code': countryCode,
      'audio-code': {
        type: 'string',
        description: 'Id of an uploaded audio. Must not be sent together with voice and message.',
      },
    },
    response: {
      name: 'ResponseCall',
      fields: {
        status: 'string',
        id: 'string',
        data: {
          arrayOf: {
            id: 'string',
            state: 'string',
            credits: 'integer',
            message: 'string',
            phone: 'string',
            voice: 'string',
          },
        },
      },
    },
  },
  messageState: {
    summary: 'Delivery state of a group of SMS or calls',
    method: 'GET',
    path: '/messages-state',
    params: { id: { type: 'string', required: true, description: 'Identifier of the message group.' } },
    response: {
      name: 'ResponseStatusSMS',
      fields: {
        state: 'string',
        credits: 'integer',
        phone: 'integer',
        created: 'string',
        sms: 'string',
        dispatch_id: 'string',
        id: 'string',
      },
    },
  },
  sendSmsCode: {
    summary: 'Send a two-factor code by SMS',
    method: 'POST',
    path: '/2fa/send-sms',
    params: { phone: onePhone, 'app-name': appName, 'country-code': countryCode },
    response: {
      name: 'ResponseSMS2fa',
      fields: {
        id: 'string',
        status: 'string',
        minutes_to_expire: 'integer',
        data: {
          arrayOf: { id: 'string', status: 'string', credits: 'integer', sms: 'string', phone: 'string' },
        },
      },
    },
  },
  sendCallCode: {
    summary: 'Send a two-factor code by voice call',
    method: 'POST',
    path: '/call/2fa/send-call',
    params: {
      phone: onePhone,
      'app-name': appName,
      voice: {
        type: 'string',
        required: true,
        allowed: codeCallVoices,
        format: 'voice',
        description: 'Voice of the call.',
      },
      retries: {
        type: 'string',
        required: true,
        format: 'count',
        description: 'Number of call attempts.',
      },
      'country-code': countryCode,
    },
    response: {
      name: 'ResponseCALL2fa',
      fields: {
        status: 'string',
        id: 'string',
        minutes_to_expire: 'integer',
        data: {
          arrayOf: { id: 'string', state: 'string', credits: 'integer', phone: 'integer', voice: 'string' },
        },
      },
    },
  },
  verifyCode: {
    summary: 'Verify a two-factor code',
    method: 'POST',
    path: '/2fa/verification-code',
    params: {
      phone: {
        type: 'string',
        required: true,
        format: 'phone',
        description: 'Number the code was sent to.',
      },
      'app-name': {
        type: 'string',
        required: true,
        description: 'The name used when the code was generated.',
      },
      code: { type: 'string', required: true, description: 'Code that was delivered.' },
      'country-code': countryCode,
    },
    response: { name: 'ResponseSucces', fields: { status: 'string' } },
  },
  shortenUrl: {
    summary: 'Create a short URL',
    method: 'POST',
    path: '/url/short',
    params: {
      name: { type: 'string', required: true, description: 'Name of the URL.' },
      'url-long': { type: 'string', required: true, format: 'url', description: 'The long URL.' },
      alias: { type: 'string', description: 'Alias for the short URL.' },
      'is-premium': { type: 'boolean', description: 'Premium URL; default false.' },
      'group-name': { type: 'string', description: 'Group to associate.' },
      'domain-name': { type: 'string', description: 'Domain to associate.' },
      'expiration-time-statistics': {
        type: 'string',
        format: 'months',
        description: 'Expiration in months; 0 for the default.',
      },
    },
    response: { name: 'ResponseURLShort', fields: { urlShort: 'string', urlLong: 'string', msg: 'string' } },
  },
  urlStatistics: {
    summary: 'Click statistics of a short URL',
    method: 'POST',
    path: '/url/short-statistic',
    params: {
      'name-url': { type: 'string', required: true, description: 'Name of the short URL.' },
      since: { type: 'string', required: true, format: 'date', description: 'First day, YYYY-MM-DD.' },
      until: { type: 'string', required: true, format: 'date', description: 'Last day, YYYY-MM-DD.' },
      category: {
        type: 'string',
        allowed: [...statisticCategories, ...premiumCategories],
        description: 'Category with detailed information; the last six only for premium URLs.',
      },
    },
    response: {
      name: 'ResponseStatistic',
      fields: {
        urlShort: 'string',
        urlLong: 'string',
        clicksNumber: 'integer',
        metrics: {
          arrayOf: {
            date: { object: tally },
            hour: { object: { ...tally, date: 'string' } },
            country: { object: tally },
            region: { object: tally },
            city: { object: { ...share, countryIsoCode: 'string', region: 'string' } },
            device: { object: tally },
            brand: { object: share },
            model: { object: share },
            operatingSystem: { object: tally },
            browser: { object: tally },
            lang: { object: tally },
          },
        },
      },
    },
  },
} as const satisfies Record<string, Operation>

/** The provider's ten operations, named as the methods of the client. */
export type OperationName = keyof typeof operations
