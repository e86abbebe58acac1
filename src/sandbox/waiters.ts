/** Pending waits for the first item that matches. */
export interface Waiters<Item> {
  /** Resolves with the item. Rejects with a `TimeoutError` that says `missed` after `timeoutMs` of real time. */
  first(matches: (item: Item) => boolean, timeoutMs: number, missed: string): Promise<Item>
  /** Resolves every wait that the item matches. */
  offer(item: Item): void
  /** Rejects every wait. */
  close(): void
}

const maxWaiters = 1_000

export function createWaiters<Item>(): Waiters<Item> {
  const waiters = new Set<{ offer(item: Item): void; close(): void }>()

  return {
    first(matches, timeoutMs, missed) {
      return new Promise((resolve, reject) => {
        if (waiters.size >= maxWaiters) throw new RangeError(`at most ${maxWaiters} waits can be pending`)
        const waiter = {
          offer: (item: Item) => matches(item) && end(() => resolve(item)),
          close: () => end(() => reject(new DOMException('The sandbox was closed', 'AbortError'))),
        }
        const timer = setTimeout(() => end(() => reject(new DOMException(missed, 'TimeoutError'))), timeoutMs)
        function end(settle: () => void): void {
          clearTimeout(timer)
          waiters.delete(waiter)
          settle()
        }
        waiters.add(waiter)
      })
    },
    offer(item) {
      for (const waiter of waiters) waiter.offer(item)
    },
    close() {
      for (const waiter of waiters) waiter.close()
    },
  }
}
