import { stepOf } from '../../lib/totp.js'
import { maskPhoneNumber, type PhoneNumber } from '../../phone-number.js'
import type { VerifyCommand } from '../commands.js'
import { appMethod, type Channel } from '../exchange/code-provider.js'
import type { Secrets } from '../keys.js'
import type { DestinationView } from './destinations.js'

// Where the codes of an account come from: numbers, and the app.

/** What a place makes of a code. `step`: of an app, which shows each code once. */
export type CheckResult =
  | { readonly result: 'approved'; readonly step: number }
  | { readonly result: 'rejected'; readonly step?: undefined }

interface AnyFactor {
  /** The same for as long as it is on file, in every session. */
  readonly key: string
  /** ISO 3166 code of the number; empty where there is none. */
  readonly country: string
  /** What the person calls it. */
  readonly label?: string | undefined
  /** Whether a code may get there in this way. */
  takes(channel: Channel): boolean
  /** What was typed, where it looks like a code of this place. */
  typed(command: Pick<VerifyCommand, 'code' | 'appCode'>): string | undefined
}

/** A phone number: codes are sent to it, and the provider judges them. */
export interface PhoneFactor extends AnyFactor {
  readonly phone: PhoneNumber
  readonly judge?: undefined
}

/** Judges its codes by itself, and nothing is ever sent to it. */
export interface TotpFactor extends AnyFactor {
  readonly phone?: undefined
  judge(code: string, now: number): CheckResult
}

export type Factor = PhoneFactor | TotpFactor

export const isPhone = (factor: Factor): factor is PhoneFactor => factor.judge === undefined
export const isTotp = (factor: Factor): factor is TotpFactor => factor.judge !== undefined

export function createPhoneFactor(
  about: Pick<PhoneFactor, 'key' | 'phone' | 'country' | 'label'>,
  methods: readonly Channel[] | undefined,
): PhoneFactor {
  return {
    ...about,
    takes: (channel) => channel !== appMethod && (methods?.includes(channel) ?? true),
    typed: ({ code }) => code,
  }
}

/** The authenticator app. Its key is the same whatever its secret: a new one does not give new guesses. */
export function createTotpFactor(secret: Uint8Array): TotpFactor {
  return {
    key: appMethod,
    country: '',
    takes: (channel) => channel === appMethod,
    typed: ({ appCode }) => appCode,
    judge(code, now) {
      const step = stepOf(code, secret, now)
      return step === undefined ? { result: 'rejected' } : { result: 'approved', step }
    },
  }
}

/** One way to a person. */
export interface Destination {
  readonly channel: Channel
  readonly factor: Factor
  /** Where there may be several: a keyed tag over subject, session, place and method. */
  readonly id?: string
}

/** Every way by one of these channels to one of these places, the last that worked first, then in their order. */
export function findDestinations(
  factors: readonly Factor[],
  channels: readonly Channel[],
  last?: { readonly factor: string; readonly channel: Channel },
  idOf?: (way: Destination) => string,
): readonly Destination[] {
  const ways = channels.flatMap((channel) =>
    factors.filter((factor) => factor.takes(channel)).map((factor): Destination => ({ channel, factor })),
  )
  const named = ways.map((way) => (idOf ? { ...way, id: idOf(way) } : way))
  const isLast = ({ channel, factor }: Destination) => factor.key === last?.factor && channel === last.channel
  return [...named.filter(isLast), ...named.filter((way) => !isLast(way))]
}

/** Good for this subject in this session alone. */
export const createDestinationId =
  (secrets: Secrets, { subject, session }: { readonly subject: string; readonly session: string }) =>
  ({ channel, factor }: Destination): string =>
    secrets.tag('destination', JSON.stringify([subject, session, factor.key, channel]))

/** A way as the person may see it. `current`: key of the place of the live challenge. */
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

/** Empty where there is no number. */
export const maskFactor = ({ phone }: Factor): string => (phone === undefined ? '' : maskPhoneNumber(phone))
