import type { CounterResult, Entry, Json, SwapResult } from '../../store/store.js'

/** A store under test. What it throws and what it rejects with look the same. */
export interface StoreUnderTest {
  read(key: string): Promise<Entry | undefined>
  swap(
    key: string,
    expectedVersion: string | undefined,
    next: Json | undefined,
    ttlMs: number,
  ): Promise<SwapResult>
  increment(key: string, windowMs: number, by?: number): Promise<CounterResult>
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
