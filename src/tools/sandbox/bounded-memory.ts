/** A map that keeps only the newest entries: it bounds everything the sandbox remembers. */
export function createBoundedMap<Value>(maxEntries: number) {
  const entries = new Map<string, Value>()
  return {
    get: (key: string) => entries.get(key),
    /** Puts the entry last and drops the oldest one beyond the limit. */
    set(key: string, value: Value): void {
      entries.delete(key)
      entries.set(key, value)
      const [oldest = key] = entries.keys()
      if (entries.size > maxEntries) entries.delete(oldest)
    },
    delete: (key: string) => entries.delete(key),
    clear: () => entries.clear(),
    oldestFirst: () => [...entries.values()],
    newestFirst: () => [...entries.values()].reverse(),
  }
}
