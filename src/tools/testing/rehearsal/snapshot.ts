import { isDate, isMap, isSet } from 'node:util/types'
import type { RehearsalResponse } from './wire.js'

/** A state in numbers: lengths and sums unchanged, everything else by its number of occurrences. */
export type Snapshot = ReadonlyMap<string, number>

/** The difference of each part between two states, without equal parts. */
export type Change = ReadonlyMap<string, number>

const digits = /^[+-]?\d+(\.\d+)?$/

/** Returns the snapshot of a value from a function of the plan. */
export function snapshotOf(value: unknown): Snapshot {
  const parts = new Map<string, number>()
  addValue(parts, '', value)
  return parts
}

/** Returns the snapshot of pages, in the order of the plan. */
export function snapshotOfPages(pages: readonly RehearsalResponse[]): Snapshot {
  const parts = new Map<string, number>()
  for (const [index, { status, json, text }] of pages.entries()) {
    add(parts, `${index} status=${status}`, 1)
    if (status < 200 || status >= 300) continue
    if (json === undefined) addText(parts, String(index), text)
    else addValue(parts, String(index), json)
  }
  return parts
}

/** More than a currency has, and fewer than a sum of fractions gets right. */
const decimals = 6

export function changeBetween(before: Snapshot, after: Snapshot): Change {
  const change = new Map<string, number>()
  for (const part of new Set([...before.keys(), ...after.keys()])) {
    const difference = Number(((after.get(part) ?? 0) - (before.get(part) ?? 0)).toFixed(decimals))
    if (difference !== 0) change.set(part, difference)
  }
  return change
}

export const without = (change: Change, noise: Change): Change =>
  new Map([...change].filter(([part]) => !noise.has(part)))

/** The effect of one action. */
export interface Effect {
  /** The parts that change for every person, in one direction; empty if each change is unlike the others. */
  readonly parts: Change
  /** The parts among them that change by one amount. */
  readonly exact: Change
}

/** Returns the effect that two changes by one action share: an id or a time is in only one of them. */
export function effectOf(first: Change, second: Change): Effect {
  const shared = [...first].filter(([part, difference]) => (second.get(part) ?? 0) * difference > 0)
  return {
    parts: new Map(shared),
    exact: new Map(shared.filter(([part, difference]) => second.get(part) === difference)),
  }
}

/**
 * Returns the effect without the parts that a refused request also changes, such as a counter of requests. An app that
 * does the action before it refuses changes all parts.
 */
export function withoutRefusal({ parts, exact }: Effect, refusal: Effect): Effect {
  if (refusal.parts.size === 0 || without(parts, refusal.parts).size === 0) return { parts, exact }
  return { parts: without(parts, refusal.parts), exact: without(exact, refusal.parts) }
}

/** Returns whether a change shows that the action was done. */
export const hasEffect = (change: Change, { parts }: Effect): boolean =>
  parts.size === 0
    ? change.size > 0
    : [...parts].some(([part, difference]) => (change.get(part) ?? 0) * difference > 0)

/** Returns whether a page of the state has disappeared. */
export const losesPages = (change: Change): boolean =>
  [...change].some(([part, difference]) => difference < 0 && /^\d+ status=2/.test(part))

/** Returns whether a change has these parts, in any direction. */
export const touches = (change: Change, { parts }: Effect): boolean =>
  [...parts.keys()].some((part) => change.has(part))

/** Returns whether a state shows one of these values that it did not show before. */
export const showsValue = (change: Change, values: readonly unknown[]): boolean =>
  [...change].some(
    ([part, difference]) => difference > 0 && values.some((value) => part.endsWith(`=${value}`)),
  )

const lettersOf = (text: string) => text.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, '')

/** Returns the texts that a change adds, with their number of occurrences. */
const textsOf = (change: Change) =>
  [...change].flatMap(([part, difference]) =>
    difference > 0 && part.includes('=')
      ? [{ part, difference, text: lettersOf(part.slice(part.indexOf('=') + 1)) }]
      : [],
  )

/** Returns whether a state shows most of the approved text, as after the action, and nothing of the other text. */
export function showsOnly(change: Change, { exact }: Effect, approved: unknown, other: unknown): boolean {
  const [own, another] = [lettersOf(String(approved)), lettersOf(String(other))]
  const shown = textsOf(exact).filter(({ text }) => own.includes(text))
  const letters = shown.reduce((sum, { text, difference }) => sum + text.length * difference, 0)
  return (
    2 * letters > own.length &&
    shown.every(({ part, difference }) => change.get(part) === difference) &&
    !textsOf(change).some(({ text }) => another.includes(text) && !own.includes(text))
  )
}

const countsOf = ({ exact }: Effect) => [...exact].filter(([part]) => part.endsWith('#'))

/** Returns whether lengths and sums change as by the action: texts may have another notation. */
export const isExactly = (change: Change, effect: Effect): boolean =>
  countsOf(effect).every(([part, difference]) => change.get(part) === difference)

/** Returns whether a sum changes by a thousandth: the app stopped reading a number at its separator of thousands. */
export const isThousandth = (change: Change, effect: Effect): boolean =>
  countsOf(effect).some(([part, difference]) => {
    const share = (change.get(part) ?? 0) / difference
    return share > 0 && share < 0.002
  })

/** Returns whether a sum of the state changes by this number, in units or hundredths. */
export const sumsUp = (effect: Effect, value: number): boolean =>
  countsOf(effect).some(([, difference]) => [value, 100 * value].includes(Math.abs(difference)))

/** Returns how many times the action was done, by lengths, sums, or the number of occurrences of a word. */
export const timesIn = (change: Change, { exact }: Effect): number =>
  Math.round(Math.max(0, ...[...exact].map(([part, difference]) => (change.get(part) ?? 0) / difference)))

/** Returns whether a part of the state changes by the same amount again. */
export const isCounted = (change: Change, { exact }: Effect): boolean =>
  [...exact].some(([part, difference]) => change.get(part) === difference)

function add(parts: Map<string, number>, part: string, amount: number): void {
  parts.set(part, (parts.get(part) ?? 0) + amount)
}

function addValue(parts: Map<string, number>, name: string, value: unknown): void {
  if (isMap(value) || isSet(value)) {
    addValue(parts, name, [...value])
  } else if (Array.isArray(value)) {
    add(parts, `${name}.length#`, value.length)
    for (const item of value) addValue(parts, `${name}[]`, item)
  } else if (typeof value === 'object' && value !== null && !isDate(value)) {
    for (const [member, inner] of Object.entries(value)) addValue(parts, `${name}.${member}`, inner)
  } else if (Number.isFinite(value) || (typeof value === 'string' && digits.test(value))) {
    add(parts, `${name}#`, Number(value))
  } else {
    add(parts, `${name}=${value}`, 1)
  }
}

/** Adds tags, words, and numbers by the word before them. Scripts and comments are not state. */
function addText(parts: Map<string, number>, name: string, text: string): void {
  const shown = text.replaceAll(/<(script|style)\b[\s\S]*?<\/\1>|<!--[\s\S]*?-->/gi, ' ')
  for (const [, tag = ''] of shown.matchAll(/<([a-z][\w-]*)/gi))
    add(parts, `${name}<${tag.toLowerCase()}>#`, 1)
  let label = ''
  for (const [word] of shown.matchAll(/[\p{L}\p{N}_](?:[\p{L}\p{N}_.,@-]*[\p{L}\p{N}_])?/gu)) {
    const plain = word.replaceAll(/[.,]/g, '')
    if (/^\d{1,15}$/.test(plain)) {
      add(parts, `${name} ${label}#`, Number(plain))
    } else {
      add(parts, `${name}=${word}`, 1)
      label = word
    }
  }
}
