import { nearestName } from '../../../lib/nearest-name.js'
import { optionError } from '../../../lib/options.js'
import { en } from './en.js'
import type { Texts } from './texts.js'

const placeholder = /\{(\w+)\}/g

/** What a problem can tell depends on the problem, so its text may use each of these. */
const inProblems = ['t', 'time', 'countries']
const toldAsProblem = /^(?:problem|code|phone)\.\w+\.text$/

/** The values that a text may have filled in, without their braces. */
export function placeholdersOf(key: keyof Texts): readonly string[] {
  return toldAsProblem.test(key) ? inProblems : namesIn(en[key])
}

/** Throws a TypeError for a text with a placeholder that nothing fills in: people would see a hole. */
export function checkPlaceholders(locale: string, key: keyof Texts, text: string): void {
  const known = placeholdersOf(key)
  const unknown = namesIn(text).find((name) => !known.includes(name))
  if (unknown === undefined) return
  const near = nearestName(unknown, known)
  const expected = known.length === 0 ? 'this text has none' : `expected: {${known.join('}, {')}}`
  const hint = near === undefined ? `; ${expected}` : `; did you mean {${near}}?`
  throw optionError(
    `twoFactor: pages.messages.${locale}: unknown placeholder {${unknown}} in "${key}"${hint}`,
  )
}

function namesIn(text: string): string[] {
  return [...text.matchAll(placeholder)].map(([, name = '']) => name)
}
