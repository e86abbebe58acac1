/** Stable codes: they are what to search the README for. */
const texts = {
  TWO_FACTOR_TRUST_PROXY_MISSING:
    'A forwarded header arrives from a private address but `trust proxy` is off: everybody behind the proxy shares ten times the limits of one address. Set `trust proxy` to your proxies.',
  TWO_FACTOR_TRUST_PROXY_ALL:
    '`trust proxy` is true: any client can choose its own address with X-Forwarded-For. Set it to the number or the addresses of your proxies.',
  TWO_FACTOR_MEMORY_STORE:
    'Challenges and grants live in the memory of one process in production: they end with it. Pass a shared `store`.',
  TWO_FACTOR_SEVERAL_WORKERS:
    'Several workers run and each has a memory store of its own: guess budgets multiply. Pass a shared `store`.',
  TWO_FACTOR_COOKIE_NOT_SECURE:
    'The session cookie is not Secure: it can be read on the way. Set `cookie.secure` of the session.',
  TWO_FACTOR_COOKIE_SAME_SITE:
    'The session cookie has no SameSite of "lax" or "strict": other sites can send it. Set `cookie.sameSite` of the session.',
  TWO_FACTOR_MADE_PER_REQUEST:
    'twoFactor() was called while a request was handled: each one has limits of its own. Call it once, at start-up.',
  TWO_FACTOR_PATH_DIFFERS:
    'routes() are mounted elsewhere than at the option `path`: links and redirects lead nowhere. Make both the same.',
} as const satisfies Record<string, string>

export type WarningCode = keyof typeof texts
export type Warn = (code: WarningCode) => void

/** Each code is said once, as a process warning of the type `TwoFactorWarning`. */
export function createWarn(): Warn {
  const said = new Set<WarningCode>()
  return (code) => {
    if (said.has(code)) return
    said.add(code)
    process.emitWarning(texts[code], {
      type: 'TwoFactorWarning',
      code,
      detail: `See README.md#${code.toLowerCase()}`,
    })
  }
}

/** Whether this call came from a handler: then Express is on the stack. */
export function isCalledPerRequest(): boolean {
  return /\bLayer\.handle/.test(new Error().stack ?? '')
}
