import type { OperationName } from '../../provider/operations.js'
import { createBoundedMap } from './bounded-memory.js'

/** One request that reached an operation, and its response. */
export interface LoggedRequest {
  /** Id of the entry. */
  readonly id: string
  /** Sandbox time, in ms. */
  readonly at: number
  /** The operation that it reached. */
  readonly operation: OperationName
  /** Path below the base URL: an operation may have several. */
  readonly path: string
  /** The parameters by wire name, with the key hidden. */
  readonly fields: Readonly<Record<string, string>>
  /** Kind of the fault that was applied to this request. */
  readonly fault?: string
  /** The response. Absent until there is one. */
  readonly answer?: { readonly status: number; readonly body: string }
}

/** A request below the base URL that no operation matched. */
export interface UnmatchedRequest {
  /** Id of the entry. */
  readonly id: string
  /** Sandbox time, in ms. */
  readonly at: number
  /** HTTP method. */
  readonly method: string
  /** Path below the base URL, without its query. */
  readonly path: string
  /** The probable intention. */
  readonly hint: string
}

/** Requests that the sandbox received, for tests. Counts are exact. The newest 1,000 requests are kept. */
export interface RequestLog {
  /**
   * Returns how many requests reached an operation (default: any), including refused requests.
   *
   * @example expect(sandbox.requests.count('verifyCode')).toBe(5)
   */
  count(operation?: OperationName): number
  /** Returns the newest requests, newest first. */
  list(operation?: OperationName): readonly LoggedRequest[]
  /** Returns the newest 100 requests that no operation matched, newest first. */
  unmatched(): readonly UnmatchedRequest[]
}

const maxRequests = 1_000
const maxUnmatched = 100
/** Logged characters of one field, one response and one path. */
const maxFieldLength = 1_000
const maxBodyLength = 4_000
const maxPathLength = 200

export function createRequestLog(now: () => number, changed: () => void) {
  const entries = createBoundedMap<LoggedRequest>(maxRequests)
  const unmatched = createBoundedMap<UnmatchedRequest>(maxUnmatched)
  const counts = new Map<OperationName, number>()
  let total = 0
  let missed = 0

  function amend(id: string, change: Partial<LoggedRequest>): void {
    const entry = entries.get(id)
    if (entry === undefined) return
    entries.set(id, { ...entry, ...change })
    changed()
  }

  return {
    count: (operation?: OperationName) => (operation === undefined ? total : (counts.get(operation) ?? 0)),
    list: (operation?: OperationName) =>
      entries.newestFirst().filter((entry) => operation === undefined || entry.operation === operation),
    unmatched: () => unmatched.newestFirst(),
    received(operation: OperationName, path: string, fields: URLSearchParams): string {
      total += 1
      counts.set(operation, (counts.get(operation) ?? 0) + 1)
      const id = `r${total}`
      entries.set(id, { id, at: now(), operation, path, fields: shownFields(fields) })
      changed()
      return id
    },
    faultApplied: (id: string, fault: string) => amend(id, { fault }),
    answered: (id: string, status: number, body: string) =>
      amend(id, { answer: { status, body: body.slice(0, maxBodyLength) } }),
    notMatched({ method, path, hint }: Pick<UnmatchedRequest, 'method' | 'path' | 'hint'>): void {
      missed += 1
      const id = `x${missed}`
      unmatched.set(id, { id, at: now(), method, path: path.slice(0, maxPathLength), hint })
      changed()
    },
    find: (id: string) => entries.get(id),
    clear(): void {
      entries.clear()
      unmatched.clear()
      counts.clear()
      total = 0
      missed = 0
    },
  }
}

function shownFields(fields: URLSearchParams): Readonly<Record<string, string>> {
  const shown = [...fields].slice(0, 50).map(([name, value]) => [
    name.slice(0, maxFieldLength),
    // Hides every key, even the sandbox's own: people paste real keys by mistake.
    name === 'key' ? '••••••' : value.slice(0, maxFieldLength),
  ])
  return Object.fromEntries(shown)
}
