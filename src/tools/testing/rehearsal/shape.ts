import type { RehearsalResponse } from './wire.js'

/** What two responses of one kind have in common, whatever amounts, ids and times they hold. */
export function shapeOf({ status, headers, text, json }: RehearsalResponse): string {
  const [location = ''] = headers.location?.split('?') ?? []
  const body = json === undefined ? text.replaceAll(/\d+/g, '0').slice(0, 500) : membersOf(json)
  return [status, headers['content-type'], location, body].join(' ')
}

function membersOf(value: unknown): string {
  if (Array.isArray(value)) return `[${membersOf(value[0])}]`
  // A form brings text where JSON has a number.
  if (typeof value !== 'object' || value === null) return ''
  const members = Object.entries(value).map(([name, member]) => `${name}:${membersOf(member)}`)
  return `{${members.sort().join()}}`
}
