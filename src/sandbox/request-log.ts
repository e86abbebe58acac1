import type { OperationName } from '../provider/operations.js'
import { createRecent } from './recent.js'

/** One request that reached an operation, and what it was answered. */
export interface LoggedRequest {
  readonly id: string
  /** Sandbox time, in ms. */
  readonly at: number
  readonly operation: OperationName
  /** What was sent, by wire name, with the key hidden. */
  readonly fields: Readonly<Record<string, string>>
  /** Kind of the fault that was played on this request. */
  readonly fault?: string
  /** Absent while no answer was given. */
  readonly answer?: { readonly status: number; readonly body: string }
}

/** What the sandbox received, for tests to count. Counts are exact; the newest 1,000 requests are kept. */
export interface RequestLog {
  /**
   * How many requests reached an operation (all of them without a name), also refused ones.
   * @example expect(sandbox.requests.count('verifyCode')).toBe(5)
   */
  count(operation?: OperationName): number
  /** The newest requests, newest first. */
  list(operation?: OperationName): readonly LoggedRequest[]
}

export interface RequestLogKeeper extends RequestLog {
  received(operation: OperationName, fields: URLSearchParams): string
  played(id: string, fault: string): void
  answered(id: string, status: number, body: string): void
  find(id: string): LoggedRequest | undefined
  clear(): void
}

const mostRequests = 1_000
/** Characters kept of one field and of one answer. */
const mostFieldText = 1_000
const mostBodyText = 4_000

export function createRequestLog(now: () => number): RequestLogKeeper {
  const entries = createRecent<LoggedRequest>(mostRequests)
  const counts = new Map<OperationName, number>()
  let total = 0

  function amend(id: string, change: Partial<LoggedRequest>): void {
    const entry = entries.get(id)
    if (entry !== undefined) entries.set(id, { ...entry, ...change })
  }

  return {
    count: (operation) => (operation === undefined ? total : (counts.get(operation) ?? 0)),
    list: (operation) =>
      entries
        .values()
        .filter((entry) => operation === undefined || entry.operation === operation)
        .reverse(),
    received(operation, fields) {
      total += 1
      counts.set(operation, (counts.get(operation) ?? 0) + 1)
      const id = `r${total}`
      entries.set(id, { id, at: now(), operation, fields: shownFields(fields) })
      return id
    },
    played: (id, fault) => amend(id, { fault }),
    answered: (id, status, body) => amend(id, { answer: { status, body: start(body, mostBodyText) } }),
    find: (id) => entries.get(id),
    clear() {
      entries.clear()
      counts.clear()
      total = 0
    },
  }
}

function shownFields(fields: URLSearchParams): Readonly<Record<string, string>> {
  const shown = [...fields].slice(0, 50).map(([name, value]) => [
    start(name, mostFieldText),
    // The key has no business on a screen, even the sandbox's own: people paste real ones by mistake.
    name === 'key' ? '••••••' : start(value, mostFieldText),
  ])
  return Object.fromEntries(shown)
}

/** The start of a text as a copy: a mere slice would keep the whole text alive behind it. */
function start(text: string, most: number): string {
  return Buffer.from(text.slice(0, most)).toString()
}
