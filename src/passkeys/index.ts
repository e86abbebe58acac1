export type { NewPasskey, PasskeysOptions, PasskeyUse, StoredPasskey } from './options.js'
export { type Passkeys, passkeys } from './passkeys.js'
export type { WebAuthn } from './webauthn.js'
