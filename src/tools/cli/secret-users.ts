import type { SecretUsers } from '../../challenge/operator/inspection.js'
import { printable } from './quote.js'

/** Returns the secrets of an app with their hosts: `3fGa1x (web-1, web-2); 9xK2mm, then 3fGa1x (web-3)`. */
export const describeSecretUsers = (users: readonly SecretUsers[]): string =>
  users.map(({ hashes, hosts }) => printable(`${hashes.join(', then ')} (${hosts.join(', ')})`)).join('; ')
