import { shellWord } from '../../../lib/shell.js'
import type { Rehearsal, RehearsalRow } from './contract.js'
import { encoded, type RehearsalRequest } from './wire.js'

const marks = { held: 'held ', fell: 'FELL ', 'not tried': '--   ' } as const
const indent = ' '.repeat(7)

/**
 * Formats a rehearsal as text: each sentence with its attack and result, and for each row that fell the fix, the
 * request to repeat, and the document. At the end are the routes by kind, and the parts that the rehearsal cannot see.
 *
 * @example
 * console.log(describeRehearsal(await rehearse(options)))
 */
export function describeRehearsal({
  rows,
  hindrance,
  routes,
  notSeen,
  requests,
  durationMs,
}: Rehearsal): string {
  const count = (verdict: RehearsalRow['verdict']) => rows.filter((row) => row.verdict === verdict).length
  const sums = `${count('held')} held, ${count('fell')} fell, ${count('not tried')} not tried`
  return [
    ...(hindrance === undefined ? [] : [`Not tried: ${hindrance}\n`]),
    ...rows.filter(({ under }) => under === undefined).map((row) => describeRow(row, rows)),
    ...(routes.length === 0 ? [] : ['\nRoutes that change something:', ...describeRoutes(routes)]),
    ...(notSeen.length === 0 ? [] : ['\nNot seen of the app:', ...notSeen.map((one) => indent + one)]),
    `\n${sums}: ${requests} requests in ${(durationMs / 1_000).toFixed(1)} s.`,
  ].join('\n')
}

function describeRoutes(routes: Rehearsal['routes']): readonly string[] {
  const kinds = [...new Set(routes.map(({ kind }) => kind))].sort()
  return kinds.map((kind) => {
    const names = routes.flatMap((one) => (one.kind === kind ? [one.route] : []))
    return `${indent}${kind}: ${names.join(', ')}`
  })
}

function describeRow(row: RehearsalRow, rows: readonly RehearsalRow[]): string {
  const { verdict, code, claim, tried, seen, fix, repeat, docs } = row
  const others = rows.filter(({ under }) => under === code).map((other) => other.code)
  const lines = [
    `${marks[verdict]}  ${code}: ${claim}`,
    ...(verdict === 'not tried' ? [`not tried: ${tried}`] : [`${tried}: ${seen}`]),
    ...(fix === undefined ? [] : [`Change: ${fix}`]),
    ...(repeat === undefined ? [] : [`Repeat: ${repeat}`]),
    ...(docs === undefined ? [] : [`Read:   ${docs}`]),
    ...(others.length === 0 ? [] : [`By this also: ${others.join(', ')}`]),
  ]
  return lines.map((line, index) => (index === 0 ? line : indent + line)).join('\n')
}

const secretHeaders: Readonly<Record<string, string>> = {
  cookie: '"cookie: $COOKIE"',
  authorization: '"authorization: $TOKEN"',
}

/** Formats a request as a line for a POSIX shell. The reader supplies its secrets. */
export function curlLine(origin: string, request: RehearsalRequest): string {
  const { method, path, headers = {}, body } = request
  const payload = encoded(body).text?.replace(/("?(?:code|password)"?[:=]"?)[^"&,}]*/gi, '$1…')
  return [
    `curl -i -X ${method} ${addressOf(origin, path)}`,
    ...Object.entries(headers)
      .filter(([name]) => name !== 'content-length')
      .map(([name, value]) => `-H ${secretHeaders[name] ?? shellWord(`${name}: ${value}`)}`),
    ...(payload === undefined ? [] : [`--data ${shellWord(payload)}`]),
  ].join(' ')
}

/**
 * Returns the words that make curl send this path unchanged: curl drops fragments and dots of an address, and expands
 * brackets.
 */
function addressOf(origin: string, path: string): string {
  const isKept =
    path.startsWith('/') && new URL(origin + path).href === origin + path && !/[#[\]{}]/.test(path)
  return isKept ? shellWord(origin + path) : `--request-target ${shellWord(path)} ${shellWord(origin)}`
}
