import { hash } from 'node:crypto'
import type { NewPasskey, StoredPasskey } from './options.js'
import { createOriginWarning } from './origin-warning.js'
import { describePasskey, type Site, timeout } from './signers.js'

// Creates passkeys.

/** Input of the options for a new passkey. */
export interface Creation {
  /** Unpredictable, and valid for one session: 32 bytes in base64url. */
  readonly challenge: string
  /** Name of the account, such as its e-mail address. The browser shows it when the user chooses a passkey. */
  readonly account: string
}

/** EdDSA, ES256 and RS256 (RFC 9053): every authenticator has one of them. */
const algorithms = [-8, -7, -257]

export function createRegistration({ webauthn, rpName, origins, rpId }: Site) {
  const warnOfOrigin = createOriginWarning(origins)
  return {
    optionsFor: (
      subject: string,
      existing: readonly StoredPasskey[],
      { challenge, account }: Creation,
    ): object => ({
      challenge,
      rp: { id: rpId, name: rpName },
      // A hash, because the handle must not contain personal data (WebAuthn Level 3, 14.6.1).
      user: { id: hash('sha256', `passkey ${subject}`, 'base64url'), name: account, displayName: account },
      pubKeyCredParams: algorithms.map((alg) => ({ type: 'public-key', alg })),
      excludeCredentials: existing.map(describePasskey),
      authenticatorSelection: { residentKey: 'preferred', userVerification: 'required' },
      attestation: 'none',
      timeout,
    }),

    /** Reads the response of the browser. Returns undefined for everything that does not answer the challenge. */
    async read(
      expectedChallenge: string,
      response: unknown,
    ): Promise<Omit<NewPasskey, 'label' | 'createdAt'> | undefined> {
      if (!hasNoCertificate(response)) return undefined
      const checked = await webauthn
        .verifyRegistrationResponse({
          response,
          expectedChallenge,
          expectedOrigin: origins,
          expectedRPID: rpId,
          requireUserVerification: true,
          supportedAlgorithmIDs: algorithms,
        })
        // Reports each mismatch by an error.
        .catch(() => {
          warnOfOrigin(response)
          return undefined
        })
      if (checked?.verified !== true || checked.registrationInfo === undefined) return undefined
      const { id, publicKey, counter, transports } = checked.registrationInfo.credential
      const key = Buffer.from(publicKey).toString('base64url')
      return { id, publicKey: key, counter, transports: readTransports(transports) }
    },
  }
}

/** No attestation, or one by the new key itself, which has two members and no certificate (CBOR). */
const formats = ['cfmtdnonegattStmt\xa0', 'cfmtfpackedgattStmt\xa2'].map((text) =>
  Buffer.from(text, 'latin1'),
)

/**
 * Returns whether an attestation has no certificate, because none was requested. A certificate may contain a URL that the
 * server would fetch to check it (SSRF).
 */
function hasNoCertificate(response: unknown): boolean {
  const { attestationObject } = Object(Object(response).response)
  const bytes = Buffer.from(String(attestationObject), 'base64url')
  // Decoders differ about other characters than these, and would read another format than this one.
  if (bytes.toString('base64url') !== attestationObject) return false
  // After the first byte, which opens the map. Browsers write the format first (CTAP 2.2, 8).
  return formats.some((format) => bytes.indexOf(format) === 1)
}

const maxTransports = 10

/** They come from the browser unchecked, and your app stores them. */
const readTransports = (given: unknown): readonly string[] =>
  Array.isArray(given) ? given.filter((one) => typeof one === 'string').slice(0, maxTransports) : []
