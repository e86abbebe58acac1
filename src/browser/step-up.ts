/** What the person is to confirm, from the option `describe` of the guard. */
export interface Details {
  /** Such as `Transfer`. */
  readonly title?: string
  /** Label and value. Show them as text, never as HTML. */
  readonly rows: readonly (readonly [label: string, value: string])[]
  /** What a button for it is called, such as `Transfer`. */
  readonly action?: string
}

/** The refusal of a guard that a code can mend. */
export interface StepUp {
  /** What the code is for, such as `transfer`. */
  readonly purpose: string
  /** How old the proof may be, in milliseconds. */
  readonly maxAgeMs: number
  /** Sealed: what exactly is to be proven. Goes back with the start. */
  readonly requirement: string
  /** Absolute. */
  readonly startUrl: string
  /** Which methods will do, when not all of them do. */
  readonly methods?: readonly string[]
  /** What the person is to confirm. */
  readonly details?: Details
}

/** Where the code is asked for, below the mount. */
export const pageOf = ({ requirement }: StepUp): string => `./?requirement=${encodeURIComponent(requirement)}`

/**
 * What a response asks for; undefined for every response that is not such a refusal, and for those that lead to
 * other routes than these. Neither a foreign site nor a file that somebody uploaded to this one may make the page
 * ask for a code, fill the dialog or learn the credentials of the request (phishing, XSS).
 *
 * @param start Absolute URL of the start of the routes.
 */
export async function stepUpIn(response: Response, start: URL): Promise<StepUp | undefined> {
  const { status, headers, url } = response
  if (status !== 401 && status !== 403) return undefined
  if (!headers.get('content-type')?.startsWith('application/problem+json')) return undefined
  // The URL after redirects.
  if (new URL(url).origin !== start.origin) return undefined
  const problem = await response
    .clone()
    .json()
    .catch(() => undefined)
  if (problem?.code !== 'second_factor_required') return undefined
  const startUrl = start.href
  if (URL.canParse(problem.startUrl, url) && new URL(problem.startUrl, url).href === startUrl) {
    return { ...problem, startUrl }
  }
  console.warn(
    `fetchWithCode: ${problem.startUrl} is not the start of these routes, ${startUrl}. See \`mount\`.`,
  )
  return undefined
}
