import assert from 'node:assert/strict'
import type { Store } from '../../../store/store.js'

type Command = 'read' | 'swap' | 'increment'

/** A store under test. A thrown error and a rejection look alike. */
export type StoreUnderTest = {
  readonly [Name in Command]: (...given: Parameters<Store[Name]>) => Promise<Awaited<ReturnType<Store[Name]>>>
}

/** Material for a sentence of the contract. */
export interface Bench {
  readonly store: StoreUnderTest
  /** Unused keys: of a ledger, of a counter. */
  readonly key: string
  readonly counter: string
  ledgerKey(): string
  counterKey(): string
  /** Opens another store, which may share the entries. */
  open(): Promise<StoreUnderTest>
  elapse(ms: number): Promise<void>
}

/** Sentences, each with its test. */
export type Cases = Readonly<Record<string, (bench: Bench) => Promise<void>>>

/** Fails unless two values are equal data. A store of an app in Jest returns objects of another realm. */
export const equalData = (given: unknown, expected: unknown): void =>
  assert.deepEqual(structuredClone(given), structuredClone(expected))
