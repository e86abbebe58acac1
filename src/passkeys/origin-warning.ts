import { originOf } from '../lib/origin.js'

/**
 * Creates the warning about a new passkey of another origin. The refusal must not name the cause to the browser, and a
 * wrong option `origin` refuses every passkey.
 */
export function createOriginWarning(origins: readonly string[]): (response: unknown) => void {
  let isWarned = false
  return (response) => {
    const found = readOrigin(response)
    if (isWarned || found === undefined || origins.includes(found)) return
    isWarned = true
    process.emitWarning(
      `passkeys: a passkey was refused, because the option \`origin\` does not contain the origin of its page. If the page is yours, add its origin. (${found.slice(0, maxShown)})`,
      { type: 'TwoFactorWarning', code: 'TWO_FACTOR_PASSKEY_ORIGIN' },
    )
  }
}

const maxShown = 100

/** Returns the origin that the browser wrote. An origin in its usual form contains only printable characters. */
function readOrigin(response: unknown): string | undefined {
  const { clientDataJSON } = Object(Object(response).response)
  try {
    return originOf(String(JSON.parse(Buffer.from(String(clientDataJSON), 'base64url').toString()).origin))
  } catch {
    return undefined
  }
}
