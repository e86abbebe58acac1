import { operations } from '../../provider/operations.js'
import { faultKinds } from '../fault.js'
import { type Schema, strictObject } from '../json-schema.js'

// Every schema here is what a request is checked against, and what the OpenAPI document shows.

export const listOf = (items: Schema): Schema => ({ type: 'array', items })
export const done: Schema = { type: 'null' }
export const count = strictObject({ count: { type: 'integer', minimum: 0 } })

export const phone: Schema = {
  type: 'string',
  pattern: '\\d',
  maxLength: 40,
  description: 'A phone number, or some of its digits.',
}
export const search: Schema = {
  type: 'string',
  pattern: '\\S',
  maxLength: 200,
  description: 'Part of the text, the app name or the number.',
}
export const id: Schema = { type: 'string', pattern: '\\S', maxLength: 200 }
export const operation: Schema = { type: 'string', enum: Object.keys(operations) }
export const integer = (minimum: number, maximum: number, description?: string): Schema => ({
  type: 'integer',
  minimum,
  maximum,
  ...(description !== undefined && { description }),
})
export const paging = { 'limit?': integer(1, 1_000), 'offset?': integer(0, 1_000_000) }

const messageStates = [
  ...['sent', 'delivered', 'read', 'rejected', 'unreachable', 'blocked'],
  ...['ringing', 'answered', 'no-answer', 'voicemail'],
]

const blockedPhone = strictObject({
  id: { type: 'string', maxLength: 1_000 },
  phone: { type: 'string', pattern: '^\\d+$', maxLength: 15 },
  name: { type: 'string', maxLength: 1_000 },
  channel: { enum: ['SMS', 'CALL', 'WA', 'ALL'] },
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

const moment: Schema = { type: 'integer', description: 'Sandbox time, in ms since the epoch.' }
const text: Schema = { type: 'string' }

export const message = strictObject({
  id: text,
  channel: { type: 'string', enum: ['sms', 'call'] },
  text,
  'code?': text,
  'codeState?': {
    type: 'string',
    enum: ['live', 'used', 'replaced', 'expired', 'blocked', 'undelivered'],
  },
  'codeExpiresAt?': moment,
  phone: text,
  'appName?': text,
  at: moment,
  state: { type: 'string', enum: messageStates },
})

export const loggedRequest = strictObject({
  id: text,
  at: moment,
  operation,
  path: text,
  fields: { type: 'object', additionalProperties: text },
  'fault?': { type: 'string', enum: faultKinds },
  'answer?': strictObject({ status: { type: 'integer' }, body: text }),
})

export const unmatchedRequest = strictObject({ id: text, at: moment, method: text, path: text, hint: text })

export const account = strictObject({
  credits: integer(0, Number.MAX_SAFE_INTEGER),
  blocked: listOf(blockedPhone),
})

export const clock = strictObject({ now: moment, aheadMs: { type: 'integer' } })

export const link = strictObject({
  name: text,
  urlShort: text,
  urlLong: text,
  premium: { type: 'boolean' },
  'groupName?': text,
  'domainName?': text,
  createdAt: moment,
  expiresAt: moment,
  clicks: { type: 'integer', minimum: 0 },
})

/** What `faults.add` takes. Which members go with which kind, it checks itself. */
export const fault = {
  kind: { type: 'string', enum: faultKinds },
  'operation?': operation,
  'phone?': phone,
  'times?': {
    anyOf: [integer(1, 1_000_000), { type: 'string', enum: ['Infinity'] }],
    description: 'Infinity: until it is removed.',
  },
  'status?': integer(200, 599),
  'body?': { description: 'A string as it is, anything else as JSON.' },
  'headers?': { type: 'object', additionalProperties: text },
  'delayMs?': integer(0, 600_000),
  'bytes?': integer(1, 64 * 1024 * 1024),
  'midBody?': { type: 'boolean' },
  'location?': text,
} as const satisfies Record<string, Schema>

export const problem = strictObject({ error: text, msg: text })
