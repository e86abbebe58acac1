/**
 * What is passed on of the words of a client: how Redis begins an error, and what Node calls one of the network; and of
 * our own store, a deadline and a replica. Whatever else a client says may quote what it was given.
 */
const told =
  /\b(?:NOAUTH|WRONGPASS|NOPERM|OOM|READONLY|LOADING|BUSY|MISCONF|NOREPLICAS|MASTERDOWN|CLUSTERDOWN|MOVED|TRYAGAIN|E(?:CONN|HOST|NET|PIPE|TIMEDOUT|NOTFOUND|AI_)[A-Z_]*|no response within \d+ ms|no replica has confirmed|(?:client|connection) is (?:closed|offline)|connection timeout|root nodes are unavailable|socket closed unexpectedly|stream isn't writeable)\b/i

/** Why a store failed, in the word to look for: that of its innermost error, else its code or its name. */
export function storeCause(error: unknown): string {
  const { cause, message, code, name }: Readonly<Record<string, unknown>> = Object(error)
  if (cause !== undefined && cause !== null) return storeCause(cause)
  const [word] = told.exec(String(message)) ?? []
  return word ?? [code, name].find(isName) ?? 'unknown'
}

/** A code or the name of a class, which quotes nothing. */
export const isName = (text: unknown): text is string => typeof text === 'string' && /^\w{1,40}$/.test(text)
