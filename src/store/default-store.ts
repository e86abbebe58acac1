import cluster from 'node:cluster'
import { type MemoryStore, memoryStore } from './memory-store.js'

/** More than any process has apps; as many are open where each request makes one. */
const maxOpen = 100
let open = 0

/** The store of an app that passed none: in memory, with a warning where that is not enough. */
export function openDefaultStore(parts: {
  readonly now: (() => number) | undefined
  readonly emit: (event: {
    readonly type: 'store.pressure'
    readonly kind: string
    readonly cause: 'evicted' | 'nearly-full'
  }) => void
  readonly warn: (
    code: 'TWO_FACTOR_SEVERAL_WORKERS' | 'TWO_FACTOR_MEMORY_STORE' | 'TWO_FACTOR_MADE_PER_REQUEST',
  ) => void
}): MemoryStore {
  const { now, emit, warn } = parts
  const store = memoryStore({
    ...(now && { now }),
    onPressure: (kind) => emit({ type: 'store.pressure', kind, cause: 'evicted' }),
    onNearlyFull: (kind) => emit({ type: 'store.pressure', kind, cause: 'nearly-full' }),
  })
  const isWorker = cluster.isWorker || process.env.NODE_APP_INSTANCE !== undefined
  open += 1
  if (open === maxOpen) warn('TWO_FACTOR_MADE_PER_REQUEST')
  if (isWorker) warn('TWO_FACTOR_SEVERAL_WORKERS')
  if (process.env.NODE_ENV === 'production') warn('TWO_FACTOR_MEMORY_STORE')
  return {
    ...store,
    close() {
      open -= 1
    },
  }
}
