/** The last line of a domain-bound one-time code (WICG, read by WebOTP and iOS): `@example.com #482913`. */
const domainBound = /(?:^|\n)@[^\s#]+ #([0-9A-Za-z]{4,10})(?: @\S+)?\s*$/

/** Digits spoken singly, between equal pauses: `4 8 2 9 1 3`, `4, 8, 2, 9`. Unequal pauses end a code. */
const spelled = /(?<![\w.]|\d[ ,]{1,2})\d(?:([ ,.;-]{1,3})\d(?!\w))(?:\1\d(?!\w)){2,8}(?!\1\d)/

/** A group of 4 to 10 digits that is not part of an amount, a date, a phone number, a URL or a word. */
const group = String.raw`(?<![\w/=+$€£]|\d[-./:,])\d{4,10}(?!\w|[-./:,]\d)`
const firstGroup = new RegExp(group)
/** A code beside a word for it is found among other figures: "1500 to Acme: code 482913". */
const named = new RegExp(`(?:code|c[oó]digo|pin|otp|clave|token)\\b[^\\d]{0,24}(${group})`, 'i')
const namedAfter = new RegExp(`(${group})(?= (?:is|es|[eé]|est?) (?:your|tu|su|o seu|seu)\\b)`, 'i')

/**
 * Returns the code in the text of an ordinary message, for an app that creates its own codes.
 *
 * @example
 * codeInText('sms', 'Your Acme code is 482913.') // '482913'
 * codeInText('call', 'Your code: 4, 8, 2, 9, 1, 3.') // '482913'
 */
export function codeInText(channel: 'sms' | 'call', text: string): string | undefined {
  const bound = domainBound.exec(text)?.[1]
  if (bound !== undefined) return bound
  const said = channel === 'call' ? spelled.exec(text)?.[0].replaceAll(/\D/g, '') : undefined
  return said ?? named.exec(text)?.[1] ?? namedAfter.exec(text)?.[1] ?? firstGroup.exec(text)?.[0]
}
