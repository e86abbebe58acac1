import { createHash, createSign, generateKeyPairSync, randomBytes } from 'node:crypto'

// A software authenticator: it creates passkeys and signs challenges as a browser returns them (WebAuthn Level 3, 6.1).

/** Options of a signature, as the routes return them. */
export interface RequestOptions {
  readonly challenge: string
  readonly rpId: string
}

/** Options of a new passkey. */
export interface CreationOptions {
  readonly challenge: string
  readonly rp: { readonly id: string }
}

/** Differences of an attacker or of another authenticator. */
export interface Deviation {
  readonly origin?: string
  readonly counter?: number
  readonly isVerified?: boolean
  readonly id?: string
  readonly rpId?: string
  readonly type?: string
}

const userPresent = 0x01
const userVerified = 0x04
const hasCredential = 0x40

const sha256 = (bytes: string | Buffer) => createHash('sha256').update(bytes).digest()

/** @param counts Whether it counts its uses, as security keys do. */
export function createAuthenticator(usualOrigin: string, { counts = true } = {}) {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const { x = '', y = '' } = publicKey.export({ format: 'jwk' })
  const credentialId = randomBytes(16)
  const id = credentialId.toString('base64url')
  let uses = 0
  // { 1: 2 (EC2), 3: -7 (ES256), -1: 1 (P-256), -2: x, -3: y }
  const cose = Buffer.concat([
    Buffer.from('a5010203262001215820', 'hex'),
    Buffer.from(x, 'base64url'),
    Buffer.from('225820', 'hex'),
    Buffer.from(y, 'base64url'),
  ])

  function clientData(type: string, challenge: string, origin = usualOrigin): Buffer {
    return Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false }))
  }

  function authenticatorData(rpId: string, flags: number, counter: number): Buffer {
    const rest = Buffer.alloc(5)
    rest.writeUInt8(flags)
    rest.writeUInt32BE(counter, 1)
    return Buffer.concat([sha256(rpId), rest])
  }

  const response = (members: Readonly<Record<string, Buffer>>) =>
    Object.fromEntries(Object.entries(members).map(([name, bytes]) => [name, bytes.toString('base64url')]))

  const flagsOf = ({ isVerified = true }: Deviation) => userPresent | (isVerified ? userVerified : 0)

  return {
    id,
    /** As `navigator.credentials.create` returns it, in JSON. */
    create({ challenge, rp }: CreationOptions, deviation: Deviation = {}) {
      const length = Buffer.alloc(2)
      length.writeUInt16BE(credentialId.length)
      const authData = Buffer.concat([
        authenticatorData(deviation.rpId ?? rp.id, flagsOf(deviation) | hasCredential, uses),
        Buffer.alloc(16),
        length,
        credentialId,
        cose,
      ])
      // { fmt: 'none', attStmt: {}, authData }
      const attestationObject = Buffer.concat([
        Buffer.from('a363666d74646e6f6e656761747453746d74a068617574684461746158', 'hex'),
        Buffer.from([authData.length]),
        authData,
      ])
      const clientDataJSON = clientData('webauthn.create', challenge, deviation.origin)
      return {
        id,
        rawId: id,
        type: 'public-key',
        clientExtensionResults: {},
        response: { ...response({ clientDataJSON, attestationObject }), transports: ['internal'] },
      }
    },
    /** As `navigator.credentials.get` returns it, in JSON. */
    sign({ challenge, rpId }: RequestOptions, deviation: Deviation = {}) {
      if (counts) uses += 1
      const { counter = uses, id: claimed = id, type = 'webauthn.get' } = deviation
      const authData = authenticatorData(deviation.rpId ?? rpId, flagsOf(deviation), counter)
      const clientDataJSON = clientData(type, challenge, deviation.origin)
      const signed = Buffer.concat([authData, sha256(clientDataJSON)])
      const signature = createSign('sha256').update(signed).sign(privateKey)
      return {
        id: claimed,
        rawId: claimed,
        type: 'public-key',
        clientExtensionResults: {},
        response: response({ clientDataJSON, authenticatorData: authData, signature }),
      }
    },
  }
}
