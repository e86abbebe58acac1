import type { RehearsalRequest, RehearsalResponse } from './wire.js'

/** An attack could not be made. The message says why, and the row that nothing was tried. */
export class NotTried extends Error {
  constructor(
    message: string,
    readonly more: {
      /** What the plan or the app has nothing of, so that nothing is wrong. */
      readonly lacks?: string
      /** What the app refused. */
      readonly refusal?: RehearsalResponse
    } = {},
  ) {
    super(message)
  }
}

/** An attack succeeded. The message says what was seen. */
export class Fell extends Error {
  constructor(
    seen: string,
    /** The one to repeat. */
    readonly request?: RehearsalRequest,
    /** Names the mistake, where others fall by it too: it is told once. */
    readonly mistake?: string,
  ) {
    super(seen)
  }
}

/** Ends an attack: this response shows the mistake. */
export function fell(response: RehearsalResponse, seen = told(response), mistake?: string): never {
  throw new Fell(seen, response.request, mistake)
}

/** The plan gives nothing to try. */
export const lacking = (option: string) => new NotTried(`the plan has no \`${option}\``, { lacks: option })

/** The app refused what nobody attacks it by. */
export function refused(response: RehearsalResponse, what?: string): NotTried {
  const hint = isLimited(response) ? ': lift the limiter while this runs' : ''
  const why = told(response) + hint
  return new NotTried(what === undefined ? why : `${what}: ${why}`, { refusal: response })
}

/** What the app refused, where that is why nothing was tried. */
export const refusalOf = (error: unknown): RehearsalResponse | undefined =>
  error instanceof NotTried ? error.more.refusal : undefined

/** Throws of several errors that which tells most: something that fell. */
export function throwWorst(errors: readonly unknown[]): void {
  if (errors.length > 0) throw errors.find((error) => error instanceof Fell) ?? errors[0]
}

/** Somebody counts requests, and what is refused from now on proves nothing. */
export const isLimited = (response: RehearsalResponse | undefined): boolean => response?.status === 429

/** A response in a few words. */
export function told({ request: { method, path }, status, json }: RehearsalResponse): string {
  const code = typeof json?.code === 'string' ? ` ${json.code}` : ''
  return `${method} ${path.split('?')[0]} answered ${status}${code}`
}
