import { type Answer, type Mount, noRoutes } from './mount.js'
import { isProven, isRefusal } from './outcome.js'
import { pageOf, type StepUp } from './step-up.js'

/** How a code travels, by the name of a provider's method: `sms`, `call`, `whatsapp` or another. */
export type Channel = 'sms' | 'call' | (string & Record<never, never>)

/** A code that is on its way, as the routes show it. */
export interface Challenge {
  /** Id of the challenge. Goes back with the code, which then approves this challenge and no other. */
  readonly id: string
  /** What the code is for, such as `transfer`. */
  readonly purpose: string
  /** How the last code travelled. */
  readonly channel: Channel
  /** Masked, such as `••••••67`. */
  readonly destination: string
  /** ISO 8601, as `resendAt`. */
  readonly expiresAt: string
  /** From when on another code may be sent. */
  readonly resendAt: string
  /** Until the code expires, in milliseconds: clocks of browsers are wrong. */
  readonly expiresInMs: number
  /** Until another code may be sent. */
  readonly resendInMs: number
  /** Codes that may still be submitted. */
  readonly attemptsRemaining: number
  /** How another code may be sent. */
  readonly channels: readonly Channel[]
  /** What the person is to confirm. */
  readonly details?: StepUp['details']
}

/** A problem document (RFC 9457) of the routes. */
export interface Problem {
  /** A problem code, such as `code_not_accepted`. */
  readonly code: string
  /** HTTP status of the response. */
  readonly status: number
  /** For the developer. */
  readonly title: string
  /** For the person, in their language. */
  readonly detail: string
  /** Codes that may still be submitted. */
  readonly attemptsRemaining?: number
  /** Milliseconds until it makes sense to ask again. */
  readonly retryAfterMs?: number
  /** Which methods will do, when not all of them do. */
  readonly methods?: readonly string[]
}

/** A request that waits for its code, for a look of your own. */
export interface CodeRequest extends Pick<StepUp, 'purpose' | 'methods' | 'details'> {
  /** The code that is on its way; another one after `resend`. */
  readonly challenge: Challenge
  /** Aborted when the request is, and when it needs no code any more. */
  readonly signal: AbortSignal
  /**
   * Resolves with undefined when the code was right: the request is then sent again. Rejects when offline, and when
   * something else responds.
   */
  verify(code: string, options?: { readonly trustDevice?: boolean }): Promise<Problem | undefined>
  /** Sends another code; after it has expired, too. Rejects when offline, and when something else responds. */
  resend(channel?: Channel): Promise<Problem | undefined>
  /** Gives up: the request rejects with an `AbortError`. */
  cancel(): void
}

/** The challenge is over, or another one has taken its place: a new one is started for the same. */
const overCodes = ['challenge_gone', 'challenge_superseded']

/** Shows a request that waits for its code. */
export type OnChallenge = (request: CodeRequest) => void

/** Starts a challenge and hands it to the app. Resolves with what start responded when it sent nothing. */
export async function askByHand(
  stepUp: StepUp,
  mount: Mount,
  aborted: AbortSignal,
  onChallenge: OnChallenge,
): Promise<boolean | Response> {
  const { purpose, requirement, startUrl, methods, details } = stepUp
  const page = pageOf(stepUp)

  /** A problem of the routes can be shown; an error of something before them says nothing to anybody. */
  async function post(path: string, fields: object): Promise<Answer> {
    const answer = await mount.post(path, fields)
    if (isRefusal(answer.response) && answer.body.code === undefined) throw noRoutes(path)
    return answer
  }

  const started = await mount.post(startUrl, { requirement })
  let { challenge } = started.body
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
      signal: end.signal,
      async verify(code, { trustDevice = false } = {}) {
        const sent = await post(challenge.verifyUrl, { challenge: challenge.id, code, trustDevice })
        if (isRefusal(sent.response)) return sent.body
        if (!(await isProven(sent, page, mount))) throw noRoutes(challenge.verifyUrl)
        finish(true)
        return undefined
      },
      async resend(channel) {
        let sent = await post(challenge.resendUrl, { requirement, channel })
        if (overCodes.includes(sent.body.code)) sent = await post(startUrl, { requirement, channel })
        if (isRefusal(sent.response)) return sent.body
        if (sent.body.challenge !== undefined) challenge = sent.body.challenge
        else if (await isProven(sent, page, mount)) finish(true)
        else throw noRoutes(startUrl)
        return undefined
      },
      cancel: () => finish(false),
    })
  })
}
