/** A public key as `@simplewebauthn/server` reads and returns it. */
interface Credential {
  readonly id: string
  readonly publicKey: Uint8Array<ArrayBuffer>
  readonly counter: number
  readonly transports?: string[]
}

/** Expected values with which both checks compare the response. */
interface Expected {
  readonly response: unknown
  readonly expectedChallenge: string | ((challenge: string) => boolean | Promise<boolean>)
  readonly expectedOrigin: string | string[]
  readonly requireUserVerification?: boolean
}

/** The functions of `@simplewebauthn/server` that are used. Pass the whole module. */
export interface WebAuthn {
  /** Checks a signature. */
  verifyAuthenticationResponse(
    expected: Expected & { readonly expectedRPID: string | string[]; readonly credential: Credential },
  ): Promise<{ readonly verified: boolean; readonly authenticationInfo: { readonly newCounter: number } }>
  /** Checks a new passkey. */
  verifyRegistrationResponse(
    expected: Expected & {
      readonly expectedRPID?: string | string[]
      readonly supportedAlgorithmIDs?: number[]
    },
  ): Promise<{
    readonly verified: boolean
    readonly registrationInfo?: { readonly credential: Credential }
  }>
}
