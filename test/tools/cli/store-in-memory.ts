import { memoryStore } from '../../../src/store/memory-store.js'

/** As a module of a host exports it. */
export const store = memoryStore()
