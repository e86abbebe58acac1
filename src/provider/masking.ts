const mask = '•••'
const url = /\b[a-z][a-z\d+.-]*:\/\/\S+/gi
// Seven digits or more, however they are spaced: E.164 numbers have no fewer.
const longNumber = /\+?\d(?:[\s().-]*\d){6,}/g

/** What the provider said, fit for a log: services quote parameters back, and the key is one of them. */
export function masked(text: string, key: string): string {
  return text
    .replaceAll(key, mask)
    .replaceAll(encodeURIComponent(key), mask)
    .replace(url, mask)
    .replace(longNumber, mask)
    .slice(0, 200)
}
