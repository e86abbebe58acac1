/** `RateLimit` and `RateLimit-Policy` as structured fields, after draft-ietf-httpapi-ratelimit-headers-11. */
type RateLimitHeaders = Readonly<Record<'RateLimit' | 'RateLimit-Policy', string>>

/**
 * Announces one request after a wait, under the name of the refusal that comes before. Enumeration: made of
 * what the body of the response says anyway. A quota or a window would show what others have used up.
 */
export function rateLimitHeaders(policy: string, waitSeconds: number): RateLimitHeaders {
  return {
    'RateLimit-Policy': `"${policy}";q=1`,
    RateLimit: waitSeconds > 0 ? `"${policy}";r=0;t=${waitSeconds}` : `"${policy}";r=1`,
  }
}
