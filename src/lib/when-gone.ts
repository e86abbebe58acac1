/** A request as far as its response tells that nobody waits for it any more. */
interface DisconnectWait {
  readonly res?: { readonly closed: boolean; once(event: 'close', listener: () => void): unknown } | undefined
}

/** What waits for a request is given up once nobody waits for the response. */
export const whenGone =
  ({ res }: DisconnectWait) =>
  (leave: () => void): void => {
    if (res?.closed) leave()
    else res?.once('close', leave)
  }
