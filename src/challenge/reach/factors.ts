import { isUint8Array } from 'node:util/types'
import { stepOf, type TotpSecret, usualForm } from '../../lib/totp.js'
import { maskPhoneNumber, type PhoneNumber } from '../../phone-number.js'
import type { VerifyCommand } from '../commands.js'
import { appMethod, type Channel, kindOf, passkeyMethod } from '../exchange/code-provider.js'
import type { Secrets } from '../keys.js'
import type { DestinationView } from './destinations.js'
import type { Signer } from './signer.js'

// Factors of an account: phone numbers, the authenticator app and the passkeys.

/** Result of a local check. `step` is the time step of an app, which shows each code once. */
export type CheckResult =
  | { readonly result: 'approved'; readonly step: number }
  | { readonly result: 'rejected'; readonly step?: undefined }

interface AnyFactor {
  /** Stable key of the factor, equal in every session. */
  readonly key: string
  /** ISO 3166 code of the number. Empty for an app. */
  readonly country: string
  /** Name that the user gave it. */
  readonly label?: string | undefined
  /** Returns whether codes of this factor can use a channel. */
  takes(channel: Channel): boolean
}

interface CodeFactor extends AnyFactor {
  readonly signer?: undefined
  /** Returns the submitted code if it has the format of this factor. */
  typed(command: Pick<VerifyCommand, 'code' | 'appCode'>): string | undefined
}

/** A phone number. Codes are sent to it, and the provider checks them. */
export interface PhoneFactor extends CodeFactor {
  readonly phone: PhoneNumber
  readonly judge?: undefined
}

/** An authenticator app. Nothing is sent, and its codes are checked here. */
export interface TotpFactor extends CodeFactor {
  readonly phone?: undefined
  judge(code: string, now: number): CheckResult
}

/** The passkeys of an account. Nothing is sent, and the browser signs the challenge. */
export interface SignedFactor extends AnyFactor {
  readonly phone?: undefined
  readonly judge?: undefined
  readonly signer: Signer
}

export type Factor = PhoneFactor | TotpFactor | SignedFactor

export const isPhone = (factor: Factor): factor is PhoneFactor => factor.phone !== undefined
export const isSigned = (factor: Factor): factor is SignedFactor => factor.signer !== undefined
export const isTotp = (factor: Factor): factor is TotpFactor => factor.judge !== undefined

export function createPhoneFactor(
  number: Pick<PhoneFactor, 'key' | 'phone' | 'country' | 'label'>,
  methods: readonly Channel[] | undefined,
): PhoneFactor {
  return {
    ...number,
    takes: (channel) => kindOf(channel) === 'code' && (methods?.includes(channel) ?? true),
    typed: ({ code }) => code,
  }
}

/**
 * Creates the factor of an authenticator app. Its key does not depend on the secret, so that a new secret gives no
 * further attempts.
 */
export function createTotpFactor(given: TotpSecret | Uint8Array): TotpFactor {
  const secret = isUint8Array(given) ? { key: given, ...usualForm } : given
  return {
    key: appMethod,
    country: '',
    takes: (channel) => channel === appMethod,
    typed: ({ appCode }) => (appCode?.length === secret.digits ? appCode : undefined),
    judge(code, now) {
      const step = stepOf(code, secret.key, now, secret)
      return step === undefined ? { result: 'rejected' } : { result: 'approved', step }
    },
  }
}

/** Creates the factor of all passkeys: the browser lets the user choose one. */
export const createSignedFactor = (signer: Signer): SignedFactor => ({
  key: passkeyMethod,
  country: '',
  takes: (channel) => channel === passkeyMethod,
  signer,
})

/** A factor with the channel of its codes. */
export interface Destination {
  readonly channel: Channel
  readonly factor: Factor
  /** Present if there may be several: a keyed tag over account, session, factor and method. */
  readonly id?: string
}

/** Returns every destination for these channels and factors: the last successful one first, then in their order. */
export function findDestinations(
  factors: readonly Factor[],
  channels: readonly Channel[],
  last?: { readonly factor: string; readonly channel: Channel },
  idOf?: (destination: Destination) => string,
): readonly Destination[] {
  const destinations = channels.flatMap((channel) =>
    factors.filter((factor) => factor.takes(channel)).map((factor): Destination => ({ channel, factor })),
  )
  const named = destinations.map((destination) =>
    idOf ? { ...destination, id: idOf(destination) } : destination,
  )
  const isLast = ({ channel, factor }: Destination) => factor.key === last?.factor && channel === last.channel
  return [...named.filter(isLast), ...named.filter((destination) => !isLast(destination))]
}

/** Creates an id that is valid for this account in this session only. */
export const createDestinationId =
  (secrets: Secrets, { subject, session }: { readonly subject: string; readonly session: string }) =>
  ({ channel, factor }: Destination): string =>
    secrets.tag('destination', JSON.stringify([subject, session, factor.key, channel]))

/** Creates the view of a destination. `current` is the key of the live challenge's factor. */
export function createDestinationView(
  { id = '', channel, factor }: Destination,
  current: string | undefined,
): DestinationView {
  const { label, key } = factor
  return {
    id,
    method: channel,
    masked: maskFactor(factor),
    ...(label !== undefined && { label }),
    isCurrent: key === current,
  }
}

/** Returns the masked number, or an empty text without one. */
export const maskFactor = ({ phone }: Factor): string => (phone === undefined ? '' : maskPhoneNumber(phone))
