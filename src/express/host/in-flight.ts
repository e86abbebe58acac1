/** Far more than a browser has open at once to one site. */
const maxPerSession = 16

/** How many requests of each session this process is working on. */
export type InFlight = ReturnType<typeof createInFlight>

export function createInFlight() {
  /** Holds no more than the requests themselves do. */
  const counts = new Map<string, number>()
  const nobody = () => undefined

  return {
    /** Counts a request of this session until what it returns is called; undefined when there are too many. */
    enter(session: string | undefined): (() => void) | undefined {
      // Each request without a session is alone in its own.
      if (session === undefined) return nobody
      const before = counts.get(session) ?? 0
      // Denial of service: requests that wait for the host must not fill the memory from one session.
      if (before >= maxPerSession) return undefined
      counts.set(session, before + 1)
      return () => {
        const left = (counts.get(session) ?? 1) - 1
        if (left === 0) counts.delete(session)
        else counts.set(session, left)
      }
    },
  }
}
