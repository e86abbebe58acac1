import type { Later } from './ledger.js'

/** The columns of a row before JSON makes null of what is undefined. */
export type Columns = readonly unknown[]

/** Without the last columns where nothing is in them. */
export function trimmed(columns: unknown[]): Columns {
  while (columns.at(-1) === undefined) columns.pop()
  return columns
}

export const laterOf = (columns: Later): Later | undefined => (columns.length === 0 ? undefined : columns)

/** A missing counter would silently restart at zero, so the row is rejected. */
export function figure(value: number): number {
  if (!Number.isFinite(value)) throw new TypeError('not a figure')
  return value
}
