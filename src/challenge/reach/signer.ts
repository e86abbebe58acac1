import { hash } from 'node:crypto'

// A factor that verifies the signature of a browser, such as passkeys. The package creates the challenge and knows no
// format of keys or signatures.

/** `isCopied`: the counter of the key did not increase, so that a copy of it may exist. */
type RejectedSignature = { readonly result: 'rejected'; readonly isCopied?: boolean }

/** Result of a check of a signature. */
export type SignatureResult =
  | {
      readonly result: 'approved'
      /** Stores the use of the key. Returns why it is refused after all (race). If it rejects, the user is refused. */
      recordUse(): Promise<RejectedSignature | undefined>
    }
  | RejectedSignature

/** The keys of one account. */
export interface Signer {
  /** Returns the options with which the browser asks the user to sign a challenge (base64url, 32 bytes). */
  optionsFor(challenge: string): object
  /** Checks the response of the browser. Everything that is no signature of this challenge is rejected. */
  verify(challenge: string, response: unknown): Promise<SignatureResult>
}

/** Verifies signatures of browsers. `passkeys()` of `express-two-factor/passkeys` creates one. */
export interface SignatureFactor {
  /** Returns the keys of an account, or undefined if it has none. */
  signerOf(subject: string): Promise<Signer | undefined>
}

/**
 * Returns the challenge that the browser signs. The sealed challenge contains account, session, purpose and bound
 * fields, so that a signature for any other of them never verifies (PSD2 RTS, article 5).
 */
export const challengeToSign = (sealed: string): string => hash('sha256', sealed, 'base64url')
