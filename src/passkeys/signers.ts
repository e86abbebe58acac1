import type { SignatureResult, Signer } from '../index.js'
import { minuteMs } from '../lib/time.js'
import type { PasskeysOptions, StoredPasskey } from './options.js'

// Checks the signatures of passkeys.

/** The app to which passkeys belong. */
export interface Site extends Pick<PasskeysOptions, 'webauthn' | 'rpName'> {
  readonly origins: string[]
  readonly rpId: string
}

/** Long enough to find a security key (WebAuthn Level 3, 15.1). */
export const timeout = 5 * minuteMs

const refusedResponse = { result: 'rejected' } as const

/** Creates the function that opens the passkeys of an account for one request. */
export function createSigners({ webauthn, origins, rpId }: Site, used: PasskeysOptions['used']) {
  async function verify(
    subject: string,
    passkey: StoredPasskey | undefined,
    expectedChallenge: string,
    response: unknown,
  ): Promise<SignatureResult> {
    if (passkey === undefined) return refusedResponse
    const { id, counter } = passkey
    const publicKey = Uint8Array.from(Buffer.from(passkey.publicKey, 'base64url'))
    const checked = await webauthn
      .verifyAuthenticationResponse({
        response,
        expectedChallenge,
        expectedOrigin: origins,
        expectedRPID: rpId,
        requireUserVerification: true,
        // 0 accepts every counter: it is checked below, where a copy differs from a wrong signature.
        credential: { id, publicKey, counter: 0 },
      })
      // Reports each mismatch by an error.
      .catch(() => undefined)
    if (checked?.verified !== true) return refusedResponse
    const { newCounter } = checked.authenticationInfo
    // Synchronised passkeys do not count (WebAuthn Level 3, 6.1.1). NaN refuses.
    const counts = newCounter !== 0 || counter !== 0
    if (counts && !(newCounter > counter)) return { ...refusedResponse, isCopied: true }
    return {
      result: 'approved',
      async recordUse() {
        const isStored = (await used(subject, id, { counter: newCounter, usedAt: Date.now() })) !== false
        // Without a counter, only a removal is left as the cause.
        return isStored ? undefined : { ...refusedResponse, isCopied: newCounter !== 0 }
      },
    }
  }

  return (subject: string, stored: readonly StoredPasskey[]): Signer => ({
    optionsFor: (challenge) => ({
      challenge,
      rpId,
      allowCredentials: stored.map(describePasskey),
      userVerification: 'required',
      timeout,
    }),
    verify: (challenge, response) => {
      const passkey = stored.find(({ id }) => id === Object(response).id)
      return verify(subject, passkey, challenge, response)
    },
  })
}

/** Returns a passkey as browsers look for it. */
export const describePasskey = ({ id, transports }: Pick<StoredPasskey, 'id' | 'transports'>) => ({
  type: 'public-key' as const,
  id,
  transports,
})
