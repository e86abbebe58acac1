import type { Store } from '../../../store/store.js'

type Command = 'read' | 'swap' | 'increment'

/** A store under test. What it throws and what it rejects with look the same. */
export type StoreUnderTest = {
  readonly [Name in Command]: (...given: Parameters<Store[Name]>) => Promise<Awaited<ReturnType<Store[Name]>>>
}

/** What a sentence of the contract is tried with. */
export interface Bench {
  readonly store: StoreUnderTest
  /** Keys that were never used before: of a ledger, of a counter. */
  readonly key: string
  readonly counter: string
  ledgerKey(): string
  counterKey(): string
  /** Another store, which may share the entries. */
  open(): Promise<StoreUnderTest>
  elapse(ms: number): Promise<void>
}

/** Sentences, and how each is shown to be true. */
export type Cases = Readonly<Record<string, (bench: Bench) => Promise<void>>>
