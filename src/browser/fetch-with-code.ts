import { askByHand, type OnChallenge } from './code-request.js'
import { dialogOfPage } from './dialog.js'
import { dialogDocument, noRoutes, openMount } from './mount.js'
import { isRefusal } from './outcome.js'
import { ownLook } from './own-look.js'
import { type StepUp, stepUpIn } from './step-up.js'

/** Options of `fetchWithCode`. */
export interface FetchWithCodeOptions {
  /** Shows the request in your own dialog. */
  readonly onChallenge?: OnChallenge
  /**
   * Origin of the API, if it differs from that of the page. Refusals of all other origins are returned unchanged.
   * Default: the origin of the page.
   */
  readonly apiOrigin?: string
  /**
   * Path of the routes, as browsers see it. Refusals that lead elsewhere are returned unchanged. Default:
   * `/two-factor`.
   */
  readonly mount?: string
}

/** Requests that are refused meanwhile wait for the current code, because the user can handle only one. */
let asking: Promise<'cancelled' | 'over'> | undefined

/**
 * Like `fetch`, for requests that a guard may refuse: requires a code from the user and repeats the request once. All
 * other responses are returned unchanged, and so is a refusal to send a code with an `onChallenge`.
 *
 * Rejects like `fetch`, with an `AbortError` if the user cancels, and with a `TypeError` for a body that cannot be sent
 * twice or if another server responds in place of the routes.
 *
 * @example
 * const response = await fetchWithCode('/transfers', { method: 'POST', body: new FormData(form) })
 */
export async function fetchWithCode(
  input: RequestInfo | URL,
  init?: RequestInit,
  { onChallenge, apiOrigin = location.origin, mount = '/two-factor' }: FetchWithCodeOptions = {},
): Promise<Response> {
  refuseOneShot(input, init)
  // Read once, so that both requests have the same content even if the app changes its FormData or Headers meanwhile.
  const request = new Request(input, init)
  const start = new URL(`${mount.replace(/\/$/, '')}/start`, apiOrigin)
  let proven = false
  for (;;) {
    const response = await fetch(request.clone())
    const stepUp = proven ? undefined : await stepUpIn(response, start)
    if (stepUp === undefined) return response
    if (asking !== undefined) {
      if ((await unlessAborted(asking, request.signal)) === 'cancelled') throw cancelled()
      // The last code may be enough for this request, too. If it is not, the request requires a code of its own.
      continue
    }
    const answer = prove(stepUp, request, onChallenge)
    asking = answer.then(
      (verified) => (verified === false ? 'cancelled' : 'over'),
      () => 'over',
    )
    try {
      const verified = await answer
      if (verified === false) throw cancelled()
      if (verified === true) proven = true
      else if (isRefusal(verified)) return verified
      else throw noRoutes(stepUp.startUrl)
    } finally {
      asking = undefined
    }
  }
}

/** Resolves with whether the user entered a correct code, or with the response of a start that sent no code. */
function prove(stepUp: StepUp, request: Request, onChallenge = ownLook(stepUp)): Promise<boolean | Response> {
  const { startUrl } = stepUp
  const { signal } = request
  return onChallenge === undefined
    ? dialogOfPage().ask(stepUp, openMount(startUrl, request, dialogDocument), signal)
    : askByHand(stepUp, openMount(startUrl, request, 'application/json'), signal, onChallenge)
}

function refuseOneShot(input: RequestInfo | URL, init: RequestInit | undefined): void {
  if (init?.body instanceof ReadableStream) {
    throw new TypeError(
      'fetchWithCode: a stream can be sent only once, and the request is repeated after the code; pass a string, Blob, FormData or URLSearchParams',
    )
  }
  if (input instanceof Request && input.bodyUsed) {
    throw new TypeError('fetchWithCode: the body of this Request was already used; pass a clone()')
  }
}

function cancelled(): DOMException {
  return new DOMException('The person closed the dialog without a code.', 'AbortError')
}

function unlessAborted<Value>(promise: Promise<Value>, signal: AbortSignal): Promise<Value> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) reject(signal.reason)
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
    promise.then(resolve, reject)
  })
}
