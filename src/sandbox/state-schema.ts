import { type Schema, strictObject } from './json-schema.js'

const text = { type: 'string', maxLength: 100_000 } as const satisfies Schema
const name = { type: 'string', maxLength: 1_000 } as const satisfies Schema
const count = { type: 'integer', minimum: 0 } as const satisfies Schema
const moment = { type: 'integer', minimum: -8e15, maximum: 8e15 } as const satisfies Schema
const flag = { type: 'boolean' } as const satisfies Schema
const list = (items: Schema, maxItems: number): Schema => ({ type: 'array', items, maxItems })

export const messageStates = [
  ...['sent', 'delivered', 'read', 'rejected', 'unreachable', 'blocked'],
  ...['ringing', 'answered', 'no-answer', 'voicemail'],
]

export const blockedPhone = strictObject({
  id: name,
  phone: { type: 'string', pattern: '^\\d+$', maxLength: 15 },
  name,
  channel: { enum: ['SMS', 'CALL', 'WA', 'ALL'] },
})

const codes = strictObject({
  phone: name,
  appName: name,
  issued: list(strictObject({ code: name, expiresAt: moment, used: flag }), 5),
})

const message = strictObject({
  id: name,
  groupId: name,
  channel: { enum: ['sms', 'call'] },
  phone: name,
  text,
  'code?': name,
  'appName?': name,
  'voice?': name,
  'audioCode?': name,
  credits: count,
  at: moment,
  timeline: list(strictObject({ at: moment, state: { enum: messageStates } }), 100),
  requestId: name,
})

const click = strictObject({
  at: moment,
  ...Object.fromEntries(
    [
      ...['countryIsoCode', 'region', 'city', 'device', 'brand', 'model'],
      ...['operatingSystem', 'browser', 'lang'],
    ].map((member) => [member, name]),
  ),
})

const links = strictObject({
  links: list(
    strictObject({
      name,
      path: { type: 'string', pattern: '^/s/[^?#\\s]+$', maxLength: 1_000 },
      urlLong: { type: 'string', pattern: '^https?://', maxLength: 10_000 },
      premium: flag,
      'groupName?': name,
      'domainName?': name,
      createdAt: moment,
      expiresAt: moment,
    }),
    1_000,
  ),
  clicks: list(strictObject({ name, click }), 25_000),
})

export const pendingFault = strictObject({
  id: { type: 'string', pattern: '^f\\d{1,15}$' },
  fault: {
    type: 'object',
    description: 'What `faults.add` takes, but for `times`.',
    properties: { kind: { type: 'string' } },
    required: ['kind'],
  },
  timesLeft: {
    anyOf: [{ type: 'integer', minimum: 1 }, { type: 'null' }],
    description: 'Null until it is removed.',
  },
})

/** What a sandbox exports, and takes back. */
export const stateSchema = strictObject({
  version: { enum: [1] },
  clock: strictObject({
    now: moment,
    phones: { type: 'object', additionalProperties: { type: 'integer', minimum: 0, maximum: 8e15 } },
  }),
  account: strictObject({
    credits: count,
    blocked: list(blockedPhone, 1_000),
    refunds: list(strictObject({ credits: count, at: moment, phone: name }), 1_000),
  }),
  codes: list(codes, 10_000),
  messages: list(message, 1_000),
  links,
  faults: list(pendingFault, 100),
})
