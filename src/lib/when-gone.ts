/** A request with the response whose close ends the wait. */
interface DisconnectWait {
  readonly res?: { readonly closed: boolean; once(event: 'close', listener: () => void): unknown } | undefined
}

/** Calls a function when the client disconnects before the response is sent. */
export const whenGone =
  ({ res }: DisconnectWait) =>
  (leave: () => void): void => {
    if (res?.closed) leave()
    else res?.once('close', leave)
  }
