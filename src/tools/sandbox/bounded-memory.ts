/** Creates a map of only the newest entries: it limits the memory of the sandbox. */
export function createBoundedMap<Value>(maxEntries: number) {
  const entries = new Map<string, Value>()
  return {
    get: (key: string) => entries.get(key),
    /** Adds the entry at the end, and drops the oldest entry beyond the limit. */
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
