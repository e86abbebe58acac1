import { BudgetError, type RehearsalRequest, type RehearsalResponse } from './wire.js'

/** An attack was impossible. The message gives the reason, and the row counts as not tried. */
export class NotTried extends Error {
  constructor(
    message: string,
    readonly more: {
      /** The missing part of plan or app, which is no mistake. */
      readonly lacks?: string
      /** The refusal by the app. */
      readonly refusal?: RehearsalResponse
    } = {},
  ) {
    super(message)
  }
}

/** An attack succeeded. The message describes the behaviour. */
export class Fell extends Error {
  constructor(
    seen: string,
    /** The request to repeat. */
    readonly request?: RehearsalRequest,
    /** Name of the mistake, if other rows also fall by it: one row reports it. */
    readonly mistake?: string,
    /** The change that fixes it, if it differs from the row's. */
    readonly fix?: string,
    /** The document of that change. */
    readonly docs?: string,
  ) {
    super(seen)
  }
}

/** Ends an attack: this response shows the mistake. */
export function fell(
  response: RehearsalResponse,
  seen = told(response),
  mistake?: string,
  fix?: string,
  docs?: string,
): never {
  throw new Fell(seen, response.request, mistake, fix, docs)
}

/** Creates the result for a plan without material for the row. */
export const lacking = (option: string) => new NotTried(`the plan has no \`${option}\``, { lacks: option })

/** Creates the result for a refusal of a request that is not an attack. */
export function refused(response: RehearsalResponse, what?: string): NotTried {
  const hint = isLimited(response) ? ': lift the limiter while this runs' : ''
  const why = told(response) + hint
  return new NotTried(what === undefined ? why : `${what}: ${why}`, { refusal: response })
}

/** Returns the refusal by the app that prevented the attack. */
export const refusalOf = (error: unknown): RehearsalResponse | undefined =>
  error instanceof NotTried ? error.more.refusal : undefined

/** Resolves with undefined if the app refused, by its own rule and not by a rate limit. */
export async function unlessRefused<Value>(step: Promise<Value>): Promise<Value | undefined> {
  try {
    return await step
  } catch (error) {
    const refusal = refusalOf(error)
    if (refusal === undefined || isLimited(refusal)) throw error
    return undefined
  }
}

/** Runs a step for each item. One that cannot be tried does not stop the others. */
export async function tryEach<Item>(
  items: readonly Item[],
  run: (item: Item) => Promise<unknown>,
): Promise<void> {
  const errors: unknown[] = []
  for (const item of items) {
    await run(item).catch((error) => {
      if (error instanceof BudgetError) throw error
      errors.push(error)
    })
  }
  throwWorst(errors)
}

/** Throws the most informative of several errors: an attack that succeeded comes first. */
export function throwWorst(errors: readonly unknown[]): void {
  if (errors.length > 0) throw errors.find((error) => error instanceof Fell) ?? errors[0]
}

/** Returns whether a rate limit applies: later refusals prove nothing. */
export const isLimited = (response: RehearsalResponse | undefined): boolean => response?.status === 429

/** Returns the response, unless a rate limit applies. */
export function mustBeJudged(response: RehearsalResponse): RehearsalResponse {
  if (isLimited(response)) throw refused(response)
  return response
}

/** Describes a response briefly. */
export function told({ request: { method, path }, status, json }: RehearsalResponse): string {
  const code = typeof json?.code === 'string' ? ` ${json.code}` : ''
  return `${method} ${path.split('?')[0]} answered ${status}${code}`
}
