import { z } from 'zod'
import { blockedChannels } from '../account.js'
import { faultSchema } from '../faults.js'
import { codeStates } from '../inbox.js'
import { messageStates } from '../timeline.js'

// Each schema checks a request or describes a response. The OpenAPI document shows both.

export const { phone, operation } = faultSchema.shape
export const digits = z.string().regex(/\d/).describe('Digits that the number contains.').optional()
export const search = z
  .string()
  .regex(/\S/)
  .describe('Part of the text, the app name or the number.')
  .optional()
export const id = z.string().regex(/\S/)
export const paging = {
  limit: z.int().min(1).max(1_000).optional(),
  offset: z.int().min(0).optional(),
}

export const done = z.null()
export const count = z.strictObject({ count: z.int().min(0) })

const moment = z.int().describe('Sandbox time, in ms since the epoch.')
const text = z.string()

export const connection = z.strictObject({
  baseUrl: z.url(),
  credentials: z.strictObject({ client: z.int(), key: text }),
  approvedStatuses: z.array(text),
})

export const message = z.strictObject({
  id: text,
  channel: z.enum(['sms', 'call']),
  text,
  code: text.optional(),
  codeState: z.enum(codeStates).optional(),
  codeExpiresAt: moment.optional(),
  phone: text,
  appName: text.optional(),
  at: moment,
  state: z.enum(messageStates),
})

export const loggedRequest = z.strictObject({
  id: text,
  at: moment,
  operation: operation.unwrap(),
  path: text,
  fields: z.record(text, text),
  fault: faultSchema.shape.kind.optional(),
  answer: z.strictObject({ status: z.int(), body: text }).optional(),
})

export const unmatchedRequest = z.strictObject({
  id: text,
  at: moment,
  method: text,
  path: text,
  hint: text,
})

export const credits = z.int().min(0)
export const account = z.strictObject({
  credits,
  blocked: z.array(z.strictObject({ id: text, phone: text, name: text, channel: z.enum(blockedChannels) })),
})

export const clock = z.strictObject({ now: moment, aheadMs: z.int() })

export const pendingFault = z.strictObject({
  id: text,
  fault: faultSchema.describe('The argument of `faults.add`.'),
  timesLeft: z.int().min(1).nullable().describe('Null until it is removed.'),
})

export const link = z.strictObject({
  name: text,
  urlShort: text,
  urlLong: text,
  premium: z.boolean(),
  groupName: text.optional(),
  domainName: text.optional(),
  createdAt: moment,
  expiresAt: moment,
  clicks: z.int().min(0),
})

export const problem = z.strictObject({ error: text, msg: text })
