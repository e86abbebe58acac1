import { isJsonObject } from '../../../lib/json.js'
import type { RehearsalResponse } from './wire.js'

/** Members of JSON with the words that they say, or the words of a text. What has digits in it differs each time. */
export type Parts = ReadonlySet<string>

/** As long as a word may be that is not a token. */
const maxWord = 20

/** What a response says, without amounts, ids and times, and without `echoes`: what it repeats of the request. */
export function partsOf({ text, json }: RehearsalResponse, echoes: Parts = new Set()): Parts {
  if (json === undefined) return new Set([...wordsOf(text)].filter((word) => !echoes.has(word)))
  const parts = new Set<string>()
  const add = (value: unknown, name: string): void => {
    if (Array.isArray(value)) for (const item of value) add(item, `${name}[]`)
    else if (isJsonObject(value)) {
      for (const [member, inner] of Object.entries(value)) add(inner, `${name}.${member}`)
    } else {
      parts.add(name)
      const said = String(value)
      if (/^[\p{L} ]+$/u.test(said) && !echoes.has(said)) parts.add(`${name}=${said}`)
    }
  }
  add(json, '')
  return parts
}

/** The words of a text, without what has digits in it. */
export function wordsOf(text: string): Parts {
  const words = text.match(/[\p{L}\p{N}_-]+/gu) ?? []
  return new Set(words.filter((word) => word.length <= maxWord && /^\p{L}+$/u.test(word)))
}

/** Whether `whole` holds these, but for a few that may differ between two responses of one kind. */
export function holds(whole: Parts, parts: Parts): boolean {
  return [...parts].filter((part) => whole.has(part)).length >= 0.8 * parts.size
}

export const without = (parts: Parts, others: Parts): Parts =>
  new Set([...parts].filter((part) => !others.has(part)))

export const isSuccess = ({ status }: RehearsalResponse): boolean => status >= 200 && status < 300

/** Where it leads, without what differs each time. */
export const leadsTo = ({ headers: { location = '' } }: RehearsalResponse): string =>
  location.split('?', 1).join().replaceAll(/\d+/g, '0')

/** Whether a page asks for a password or a code. */
export const asksForProof = ({ text, json }: RehearsalResponse): boolean =>
  json === undefined && /<input[^>]*("?password\b|one-time-code|name="?(code|otp)\b)/i.test(text)

/** Whether it says, whatever its status is, that nothing was done: as GraphQL does by `errors`. */
export function tellsFailure(response: RehearsalResponse): boolean {
  const { status, json } = response
  if (status >= 400 || asksForProof(response)) return true
  return (
    isJsonObject(json) && (Boolean(json.errors ?? json.error) || json.ok === false || json.success === false)
  )
}

/** The `requirement` of a refusal, wherever it stands: in the address of the code page, or in GraphQL below `errors`. */
export function requirementIn({ json, headers: { location = '' } }: RehearsalResponse): string | undefined {
  return new URLSearchParams(location.split('?')[1]).get('requirement') ?? memberIn(json, 'requirement')
}

function memberIn(value: unknown, name: string): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  const own: unknown = Reflect.get(value, name)
  if (typeof own === 'string') return own
  return Object.values(value)
    .map((inner) => memberIn(inner, name))
    .find((found) => found !== undefined)
}
