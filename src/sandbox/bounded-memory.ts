/** A map that keeps only the newest entries: it bounds everything the sandbox remembers. */
export interface BoundedMap<Value> {
  get(key: string): Value | undefined
  /** Puts the entry last and drops the oldest one beyond the limit. */
  set(key: string, value: Value): void
  delete(key: string): boolean
  clear(): void
  /** Oldest first. */
  values(): Value[]
}

export function createBoundedMap<Value>(maxEntries: number): BoundedMap<Value> {
  const entries = new Map<string, Value>()
  return {
    get: (key) => entries.get(key),
    set(key, value) {
      entries.delete(key)
      entries.set(key, value)
      if (entries.size <= maxEntries) return
      for (const oldest of entries.keys()) {
        entries.delete(oldest)
        break
      }
    },
    delete: (key) => entries.delete(key),
    clear: () => entries.clear(),
    values: () => [...entries.values()],
  }
}

/**
 * The same string in memory of its own. What is cut out of a request is a slice to V8, and keeps the whole
 * request alive for as long as it is remembered itself.
 */
export function detached(text: string): string {
  return Buffer.from(text).toString()
}
