import { type Answer, type Mount, noRoutes } from './mount.js'
import { isProven, isRefusal } from './outcome.js'
import { pageOf, type StepUp } from './step-up.js'

/** How a code is sent: `sms`, `call`, `whatsapp` or another method of a provider. */
export type Channel = 'sms' | 'call' | (string & Record<never, never>)

/** A live challenge, as the routes return it. */
export interface Challenge {
  /** Id of the challenge. Submit it with the code, which then approves this challenge only. */
  readonly id: string
  /** Purpose of the code, such as `transfer`. */
  readonly purpose: string
  /** Method by which the last code was sent. */
  readonly channel: Channel
  /** The masked number, such as `••••••67`. */
  readonly destination: string
  /** ISO 8601, like `resendAt`. */
  readonly expiresAt: string
  /** Time from which a new code can be sent. */
  readonly resendAt: string
  /** Milliseconds until the code expires. Use it for a countdown, because clocks of browsers are wrong. */
  readonly expiresInMs: number
  /** Milliseconds until a new code can be sent. */
  readonly resendInMs: number
  /** Codes that can still be submitted. */
  readonly attemptsRemaining: number
  /** Methods for a new code. */
  readonly channels: readonly Channel[]
  /** Details that the user confirms. */
  readonly details?: StepUp['details']
}

/** A problem document (RFC 9457) of the routes. */
export interface Problem {
  /** The problem code, such as `code_not_accepted`. */
  readonly code: string
  /** HTTP status of the response. */
  readonly status: number
  /** Text for the developer. */
  readonly title: string
  /** Text for the user, in their language. */
  readonly detail: string
  /** Codes that can still be submitted. */
  readonly attemptsRemaining?: number
  /** Milliseconds until a retry can succeed. */
  readonly retryAfterMs?: number
  /** Accepted methods, if some are not accepted. */
  readonly methods?: readonly string[]
}

/** A request that waits for its code, for your own dialog. */
export interface CodeRequest extends Pick<StepUp, 'purpose' | 'methods' | 'details'> {
  /** The challenge of the code. `resend` replaces it. */
  readonly challenge: Challenge
  /**
   * For the channel `passkey`: pass it to `PublicKeyCredential.parseRequestOptionsFromJSON`, and the credential to
   * `verify`. `resend('sms')` sends a text instead.
   */
  readonly publicKey?: PublicKeyCredentialRequestOptionsJSON | undefined
  /** Aborted with the request, and when the request needs no code any more. */
  readonly signal: AbortSignal
  /**
   * Resolves with undefined if the code was correct, and the request is sent again. Rejects if the browser is offline
   * or another server responds.
   */
  verify(
    code: string | PublicKeyCredential,
    options?: { readonly trustDevice?: boolean },
  ): Promise<Problem | undefined>
  /**
   * Sends a new code, even after the last one expired. Rejects if the browser is offline or another server responds.
   */
  resend(channel?: Channel): Promise<Problem | undefined>
  /** Cancels. The request rejects with an `AbortError`. */
  cancel(): void
}

/** The challenge ended or was replaced. A new one is started with the same requirement. */
const overCodes = ['challenge_gone', 'challenge_superseded']

/** Shows a request that waits for its code. */
export type OnChallenge = (request: CodeRequest) => void

/** Starts a challenge and passes it to the app. Resolves with the response of the start if no code was sent. */
export async function askByHand(
  stepUp: StepUp,
  mount: Mount,
  aborted: AbortSignal,
  onChallenge: OnChallenge,
): Promise<boolean | Response> {
  const { purpose, requirement, startUrl, methods, details } = stepUp
  const page = pageOf(stepUp)

  /** Returns a problem of the routes, which can be shown. An error page of a proxy would mean nothing to the user. */
  async function post(path: string, fields: object): Promise<Answer> {
    const answer = await mount.post(path, fields)
    if (isRefusal(answer.response) && answer.body.code === undefined) throw noRoutes(path)
    return answer
  }

  const started = await mount.post(startUrl, { requirement })
  let { challenge, publicKey } = started.body
  if (isRefusal(started.response)) return started.response
  if (challenge === undefined) return (await isProven(started, page, mount)) || started.response
  const end = new AbortController()

  return new Promise<boolean>((resolve, reject) => {
    const finish = (verified: boolean) => {
      resolve(verified)
      end.abort()
    }
    aborted.addEventListener(
      'abort',
      () => {
        reject(aborted.reason)
        end.abort()
      },
      { signal: end.signal },
    )
    onChallenge({
      purpose,
      ...(methods && { methods }),
      ...(details && { details }),
      get challenge() {
        return challenge
      },
      get publicKey() {
        return publicKey
      },
      signal: end.signal,
      async verify(proof, { trustDevice = false } = {}) {
        const answer = typeof proof === 'string' ? { code: proof } : { passkey: proof }
        const sent = await post(challenge.verifyUrl, { challenge: challenge.id, ...answer, trustDevice })
        if (isRefusal(sent.response)) return sent.body
        if (!(await isProven(sent, page, mount))) throw noRoutes(challenge.verifyUrl)
        finish(true)
        return undefined
      },
      async resend(channel) {
        let sent = await post(challenge.resendUrl, { requirement, channel })
        if (overCodes.includes(sent.body.code)) sent = await post(startUrl, { requirement, channel })
        if (isRefusal(sent.response)) return sent.body
        if (sent.body.challenge !== undefined) ({ challenge, publicKey } = sent.body)
        else if (await isProven(sent, page, mount)) finish(true)
        else throw noRoutes(startUrl)
        return undefined
      },
      cancel: () => finish(false),
    })
  })
}
