/** Those who wait for the first item that fits. */
export interface Waiting<Item> {
  /** Resolves with the item. Rejects with a `TimeoutError` that says `missed` when the real time is over. */
  first(fits: (item: Item) => boolean, timeoutMs: number, missed: string): Promise<Item>
  /** Hands a new item to all whom it fits. */
  offer(item: Item): void
  /** Ends every wait. */
  close(): void
}

const mostWaiting = 1_000

export function createWaiting<Item>(): Waiting<Item> {
  const waiting = new Set<{ offer(item: Item): void; close(): void }>()

  return {
    first(fits, timeoutMs, missed) {
      return new Promise((resolve, reject) => {
        if (waiting.size >= mostWaiting) throw new RangeError(`${mostWaiting} wait already`)
        const waiter = {
          offer: (item: Item) => fits(item) && end(() => resolve(item)),
          close: () => end(() => reject(new DOMException('The sandbox was closed', 'AbortError'))),
        }
        const timer = setTimeout(() => end(() => reject(new DOMException(missed, 'TimeoutError'))), timeoutMs)
        function end(settle: () => void): void {
          clearTimeout(timer)
          waiting.delete(waiter)
          settle()
        }
        waiting.add(waiter)
      })
    },
    offer(item) {
      for (const waiter of waiting) waiter.offer(item)
    },
    close() {
      for (const waiter of waiting) waiter.close()
    },
  }
}
