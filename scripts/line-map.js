import { SourceMap } from 'node:module'

/** A source map that says for each line where it came from, and nothing about columns and names. */
export function byLine(map, code) {
  const origins = new SourceMap(map)
  const indexOf = new Map(map.sources.map((source, index) => [source, index]))
  let previous = { source: 0, line: 0 }
  const mappings = code.split('\n').map((text, line) => {
    // No line of a stack trace leads to a bracket that closes.
    if (/^[\s{[}\]),;]*$/.test(text)) return ''
    const origin = origins.findEntry(line, text.search(/\S/))
    if (origin.generatedLine !== line) return ''
    const here = { source: indexOf.get(origin.originalSource), line: origin.originalLine }
    // Of a segment: its column, then source, line and column of the origin, each less the one before.
    const segment = [0, here.source - previous.source, here.line - previous.line, 0]
    previous = here
    return segment.map(base64Vlq).join('')
  })
  return { ...map, names: [], mappings: mappings.join(';') }
}

const digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'

/** The sign in the lowest bit, then five bits a digit, the lowest first; the sixth says that more follow. */
function base64Vlq(number) {
  let rest = number < 0 ? (-number << 1) | 1 : number << 1
  let text = ''
  do {
    const five = rest & 31
    rest >>>= 5
    text += digits[rest === 0 ? five : five | 32]
  } while (rest > 0)
  return text
}
