export const mask = '•••'
// However it is encoded: a quoted form names it.
const namedKey = /\bkey["']?\s*[=:]\s*["']?[^\s&"',;]+/gi
// A scheme of bounded length: unbounded, each position of a long answer would be a start to scan from.
const url = /[a-z\d+.-]{0,32}:\/\/\S+/gi
// Seven digits or more, however they are spaced: E.164 numbers have no fewer.
const longNumber = /\+?\d(?:[\s().-]*\d){6,}/g

/**
 * What the provider said, fit for a log: services quote back what they were sent, and that holds the
 * key, a number, sometimes a text with a code in it. `form` is what was sent.
 */
export function masked(text: string, form: string): string {
  let safe = text
  for (const secret of secretsOf(form)) safe = safe.replaceAll(secret, mask)
  return safe.replace(url, mask).replace(namedKey, mask).replace(longNumber, mask).slice(0, 200)
}

const hasDigit = (word: string) => /\d/.test(word)

/** Every value that was sent, and every word in it that may be a code, the longest first. */
function secretsOf(form: string): string[] {
  const sent = new URLSearchParams(form)
  // A short account id is no secret and could be an error code; a long one is a long number.
  sent.delete('client')
  return [...sent.values()]
    .flatMap((value) => [value, encodeURIComponent(value), ...value.split(/\s+/).filter(hasDigit)])
    .filter((value) => value.length >= 4)
    .sort((one, other) => other.length - one.length)
}
