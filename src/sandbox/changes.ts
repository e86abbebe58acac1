/** Announces that something changed, without saying what. */
export interface Changes {
  announce(): void
  /** Calls back after every change. Returns the function that ends it. */
  subscribe(callback: () => void): () => void
}

export function createChanges(): Changes {
  const callbacks = new Set<() => void>()
  return {
    announce() {
      for (const callback of callbacks) callback()
    },
    subscribe(callback) {
      callbacks.add(callback)
      return () => void callbacks.delete(callback)
    },
  }
}
