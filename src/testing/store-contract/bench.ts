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
  open(): Promise<StoreUnderTest>
  elapse(ms: number): Promise<void>
  /** A key that was never used before. */
  ledgerKey(): string
  counterKey(): string
}

/** Sentences, and how each is shown to be true. */
export type Cases = Readonly<Record<string, (bench: Bench) => Promise<void>>>
