import type { ChallengeView } from '../../challenge/commands.js'

/**
 * A challenge as the browser sees it. It holds no number and no code. Besides the moments it has the waits,
 * because clocks of browsers are wrong, and where the next requests go.
 */
export function challengeDocument(challenge: ChallengeView, basePath: string, now: number): object {
  const { expiresAt, resendAt } = challenge
  return {
    ...challenge,
    expiresAt: isoTime(expiresAt),
    resendAt: isoTime(resendAt),
    expiresInMs: Math.max(0, expiresAt - now),
    resendInMs: Math.max(0, resendAt - now),
    verifyUrl: `${basePath}/verify`,
    resendUrl: `${basePath}/resend`,
  }
}

export function isoTime(ms: number): string {
  return new Date(ms).toISOString()
}
