import { operations } from '../../provider/operations.js'
import type { Connection } from '../connection.js'
import type { LoggedRequest } from '../request-log.js'

/** The command that sends a logged request again. The log has no key, so the sandbox's own takes its place. */
export function curlCommand(
  { operation, path, fields }: LoggedRequest,
  { baseUrl, credentials }: Connection,
): string {
  const isGet = operations[operation].method === 'GET'
  const parts = Object.entries(fields).map(
    ([name, value]) => `--data-urlencode ${quoted(`${name}=${name === 'key' ? credentials.key : value}`)}`,
  )
  return ['curl', ...(isGet ? ['-G'] : []), quoted(`${baseUrl}${path}`), ...parts].join(' ')
}

/** One word for a POSIX shell: nothing inside single quotes is expanded. */
function quoted(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`
}
