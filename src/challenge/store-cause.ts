/**
 * Texts of a store client that are passed on: the prefix of a Redis error, Node's network codes, and this package's own
 * messages about a deadline, a connection and a replica. Any other text may quote values.
 */
const causePattern =
  /\b(?:NOAUTH|WRONGPASS|NOPERM|OOM|READONLY|LOADING|BUSY|MISCONF|NOREPLICAS|MASTERDOWN|CLUSTERDOWN|MOVED|TRYAGAIN|E(?:CONN|HOST|NET|PIPE|TIMEDOUT|NOTFOUND|AI_)[A-Z_]*|no response within \d+ ms|no response to a new connection|await client\.connect\(\) is missing|no replica has confirmed|(?:client|connection) is (?:closed|offline)|connection timeout|root nodes are unavailable|socket closed unexpectedly|stream isn't writeable)\b/i

/** Returns the cause of a store failure in one word to search for: that of its innermost error, or its code or name. */
export function storeCause(error: unknown): string {
  const { cause, message, code, name }: Readonly<Record<string, unknown>> = Object(error)
  if (cause !== undefined && cause !== null) return storeCause(cause)
  const [word] = causePattern.exec(String(message)) ?? []
  return word ?? [code, name].find(isName) ?? 'unknown'
}

/** Returns whether a text is an error code or the name of a class, which quotes no value. */
export const isName = (text: unknown): text is string => typeof text === 'string' && /^\w{1,40}$/.test(text)
