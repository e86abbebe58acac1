import type { RouteContext } from '../index.js'
import type { AccountChangeRequest, ChangeKind } from './changes.js'

/** The route that makes each change. */
const routes: Readonly<Record<ChangeKind, string>> = {
  'number-added': '/numbers/add',
  'number-first': '/numbers/first',
  'number-removed': '/numbers/remove',
  'device-ended': '/devices/end',
  'passkey-added': '/passkeys/new',
  'passkey-renamed': '/passkeys/rename',
  'passkey-removed': '/passkeys/remove',
  'app-added': '/app',
  'app-removed': '/app/remove',
  'recovery-codes-made': '/recovery-codes',
  'devices-ended': '/devices/end-all',
  'signed-out-elsewhere': '/sign-out',
}

/**
 * Returns the address that the person opens by GET after the correct code. The change happens there, without a second
 * confirmation.
 */
export function pathAfterCode(
  mount: string,
  { fields, prefix, returnTo }: RouteContext,
  { kind }: AccountChangeRequest,
): string {
  const route = mount + routes[kind]
  const query = new URLSearchParams()
  for (const name of ['number', 'device', 'passkey', 'name'] as const) {
    const { [name]: value } = fields
    if (typeof value === 'string') query.set(name, value)
  }
  // A passkey that was offered after a sign-in.
  if (returnTo !== undefined && kind === 'passkey-added') {
    query.set('returnTo', prefix + returnTo)
    // Otherwise the whole path would be ignored, and the code entered for nothing.
    if (prefix.length + route.length + query.toString().length >= maxPathLength) query.delete('returnTo')
  }
  return query.size === 0 ? route : `${route}?${query}`
}

/** Maximum length of a return path. */
const maxPathLength = 4_096
