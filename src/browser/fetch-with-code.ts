import { askByHand, type OnChallenge } from './code-request.js'
import { dialogOfPage } from './dialog.js'
import { dialogDocument, noRoutes, openMount } from './mount.js'
import { isRefusal } from './outcome.js'
import { ownLook } from './own-look.js'
import { type StepUp, stepUpIn } from './step-up.js'

/** Options of `fetchWithCode`. */
export interface FetchWithCodeOptions {
  /** Shows the request in a look of your own, in place of the dialog. */
  readonly onChallenge?: OnChallenge
  /** Origin of the API, when it is another one than the page's. Refusals of all other origins are returned as they are. */
  readonly apiOrigin?: string
  /** Where the routes are mounted, as browsers see it: `/two-factor` by default. Refusals that lead elsewhere are returned as they are. */
  readonly mount?: string
}

/** The person has one phone in the hand: requests refused meanwhile wait for the code that is being asked for. */
let asking: Promise<'cancelled' | 'over'> | undefined

/**
 * `fetch` for requests that a guard may refuse: asks the person for a code and repeats the request once. Every
 * other response is returned as it is, and so is a refusal to send a code to an `onChallenge`. Rejects as `fetch`
 * does; with an `AbortError` when the person gives up; with a `TypeError` for a body that cannot be sent twice,
 * and when something else responds in place of the routes.
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
  // Read once, so that the same is sent twice whatever becomes of a FormData or Headers meanwhile.
  const request = new Request(input, init)
  const start = new URL(`${mount.replace(/\/$/, '')}/start`, apiOrigin)
  let proven = false
  for (;;) {
    const response = await fetch(request.clone())
    const stepUp = proven ? undefined : await stepUpIn(response, start)
    if (stepUp === undefined) return response
    if (asking !== undefined) {
      if ((await unlessAborted(asking, request.signal)) === 'cancelled') throw cancelled()
      // What was proven may do for this request too. If not, it asks for a code of its own.
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

/** Whether the person typed the right code; the response of start when no code was sent. */
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
    throw new TypeError('fetchWithCode: the body of this Request was used already; pass a clone()')
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
