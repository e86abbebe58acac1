import { createHash, createPublicKey, generateKeyPairSync, sign, verify } from 'node:crypto'
import type { Verify } from '../../examples/passkey.js'

/** The public key of a passkey, and where it may be used. */
export interface Passkey {
  readonly publicKey: Buffer
  readonly rpId: string
  readonly origin: string
}

export const newKeyPair = () =>
  generateKeyPairSync('ec', {
    namedCurve: 'P-256',
    publicKeyEncoding: { type: 'spki', format: 'der' },
    privateKeyEncoding: { type: 'pkcs8', format: 'der' },
  })

const sha256 = (data: string | Buffer) => createHash('sha256').update(data).digest()
const userPresent = 0x01
const userVerified = 0x04

/** What an authenticator in a browser returns, of a shape that `toJSON` gives it. */
export function assertion(
  privateKey: Buffer,
  given: { challenge: string; origin: string; rpId: string },
): object {
  const { challenge, origin, rpId } = given
  const type = 'webauthn.get'
  const clientData = Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false }))
  const flags = Buffer.from([userPresent | userVerified])
  const authenticatorData = Buffer.concat([sha256(rpId), flags, Buffer.alloc(4)])
  const key = { key: privateKey, format: 'der', type: 'pkcs8' } as const
  const signature = sign('sha256', Buffer.concat([authenticatorData, sha256(clientData)]), key)
  return {
    type: 'public-key',
    response: {
      clientDataJSON: clientData.toString('base64url'),
      authenticatorData: authenticatorData.toString('base64url'),
      signature: signature.toString('base64url'),
    },
  }
}

/** Stands in for the library: the steps of WebAuthn, section 7.2, that matter here. */
export const verifyAssertion: Verify<Passkey> = async ({ response: given, challenge, passkey }) => {
  const { response = {} } = given as { response?: Readonly<Record<string, string>> }
  const [clientData, authenticatorData, signature] = ['clientDataJSON', 'authenticatorData', 'signature'].map(
    (member) => Buffer.from(response[member] ?? '', 'base64url'),
  ) as [Buffer, Buffer, Buffer]
  if (clientData.length === 0) return false
  const client = JSON.parse(clientData.toString())
  if (client.type !== 'webauthn.get' || client.challenge !== challenge) return false
  if (client.origin !== passkey.origin) return false
  if (!authenticatorData.subarray(0, 32).equals(sha256(passkey.rpId))) return false
  if (((authenticatorData[32] ?? 0) & userVerified) === 0) return false
  const key = createPublicKey({ key: passkey.publicKey, format: 'der', type: 'spki' })
  return verify('sha256', Buffer.concat([authenticatorData, sha256(clientData)]), key, signature)
}
