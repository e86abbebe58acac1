/** Details that the user confirms, from the guard's option `describe`. */
export interface Details {
  /** Title of the action, such as `Transfer`. */
  readonly title?: string
  /** Label and value. Show them as text, never as HTML. */
  readonly rows: readonly (readonly [label: string, value: string])[]
  /** Label of the button for the action, such as `Transfer`. */
  readonly action?: string
}

/** A refusal of a guard that requires a code. */
export interface StepUp {
  /** Purpose of the code, such as `transfer`. */
  readonly purpose: string
  /** Maximum age of the verification, in milliseconds. */
  readonly maxAgeMs: number
  /** The sealed requirement. Submit it with the start. */
  readonly requirement: string
  /** Absolute URL of the start. */
  readonly startUrl: string
  /** Accepted methods, if some are not accepted. */
  readonly methods?: readonly string[]
  /** Details that the user confirms. */
  readonly details?: Details
}

/** Returns the page that requires the code, below the mount. */
export const pageOf = ({ requirement }: StepUp): string => `./?requirement=${encodeURIComponent(requirement)}`

/**
 * Returns the step-up that a response requires. Undefined for any other response, and for a refusal that leads to other
 * routes. Neither a foreign site nor an uploaded file on this site may make the page require a code, fill the dialog or
 * receive the credentials of the request (phishing, XSS).
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
