import type { Message } from '../timeline.js'

/**
 * Reasons of refusals, with the number in `error`. The provider publishes no list: 1000, 1001, 1003 and 1007 were seen
 * in the field; numbers from 1100 on are the sandbox's own.
 */
export const refusalNumbers = {
  parameters: 1000,
  address: 1001,
  credentials: 1003,
  credits: 1007,
  destination: 1100,
  blocked: 1101,
  appName: 1110,
  wrongCode: 1111,
  expiredCode: 1112,
  usedCode: 1113,
  noCode: 1114,
  message: 1120,
  urlTaken: 1130,
  url: 1131,
  premium: 1132,
} as const

export type RefusalReason = keyof typeof refusalNumbers

/** A refused operation, with its reason. */
export interface Refusal {
  readonly refused: RefusalReason
  readonly msg: string
}

export function refuse(refused: RefusalReason, msg: string): Refusal {
  return { refused, msg }
}

/** Facts about a success, by the names of response members. Messages are in `data`. */
export interface Facts {
  readonly data?: readonly Message[]
  readonly [member: string]: unknown
}

/** The result of an operation. */
export type Outcome = Facts | Refusal

export function isRefusal(outcome: object): outcome is Refusal {
  return 'refused' in outcome
}
