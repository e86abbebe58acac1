/** A map that keeps the newest entries only: what bounds everything the sandbox remembers. */
export interface Recent<Value> {
  get(key: string): Value | undefined
  /** Puts the entry last and drops the oldest beyond the limit. */
  set(key: string, value: Value): void
  delete(key: string): boolean
  clear(): void
  /** Oldest first. */
  values(): Value[]
}

export function createRecent<Value>(limit: number): Recent<Value> {
  const entries = new Map<string, Value>()
  return {
    get: (key) => entries.get(key),
    set(key, value) {
      entries.delete(key)
      entries.set(key, value)
      if (entries.size <= limit) return
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
