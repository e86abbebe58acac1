import { stepOf } from '../../lib/totp.js'
import { maskPhoneNumber, type PhoneNumber } from '../../phone-number.js'
import type { VerifyCommand } from '../commands.js'
import { appMethod, type Channel } from '../exchange/code-provider.js'
import type { Secrets } from '../keys.js'
import type { DestinationView } from './destinations.js'

// Where the codes of an account come from: numbers, and the app.

/** What a place makes of a code. `step`: of an app, which shows each code once. */
export type Judged =
  | { readonly result: 'approved'; readonly step: number }
  | { readonly result: 'rejected'; readonly step?: undefined }

interface AnyPlace {
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
export interface NumberPlace extends AnyPlace {
  readonly phone: PhoneNumber
  readonly judge?: undefined
}

/** Judges its codes by itself, and nothing is ever sent to it. */
export interface JudgingPlace extends AnyPlace {
  readonly phone?: undefined
  judge(code: string, now: number): Judged
}

export type Place = NumberPlace | JudgingPlace

export const isNumber = (place: Place): place is NumberPlace => place.judge === undefined
export const judgesItself = (place: Place): place is JudgingPlace => place.judge !== undefined

export function numberPlace(
  about: Pick<NumberPlace, 'key' | 'phone' | 'country' | 'label'>,
  methods: readonly Channel[] | undefined,
): NumberPlace {
  return {
    ...about,
    takes: (channel) => channel !== appMethod && (methods?.includes(channel) ?? true),
    typed: ({ code }) => code,
  }
}

/** The authenticator app. Its key is the same whatever its secret: a new one does not give new guesses. */
export function appPlace(secret: Uint8Array): JudgingPlace {
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
export interface Way {
  readonly channel: Channel
  readonly place: Place
  /** Where there may be several: a keyed tag over subject, session, place and method. */
  readonly id?: string
}

/** Every way by one of these channels to one of these places, the last that worked first, then in their order. */
export function waysTo(
  places: readonly Place[],
  channels: readonly Channel[],
  last?: { readonly place: string; readonly channel: Channel },
  idOf?: (way: Way) => string,
): readonly Way[] {
  const ways = channels.flatMap((channel) =>
    places.filter((place) => place.takes(channel)).map((place): Way => ({ channel, place })),
  )
  const named = ways.map((way) => (idOf ? { ...way, id: idOf(way) } : way))
  const isLast = ({ channel, place }: Way) => place.key === last?.place && channel === last.channel
  return [...named.filter(isLast), ...named.filter((way) => !isLast(way))]
}

/** Good for this subject in this session alone. */
export const wayId =
  (secrets: Secrets, { subject, session }: { readonly subject: string; readonly session: string }) =>
  ({ channel, place }: Way): string =>
    secrets.tag('destination', JSON.stringify([subject, session, place.key, channel]))

/** A way as the person may see it. `current`: key of the place of the live challenge. */
export function destinationOf(
  { id = '', channel, place }: Way,
  current: string | undefined,
): DestinationView {
  const { label, key } = place
  return {
    id,
    method: channel,
    masked: maskedIn(place),
    ...(label !== undefined && { label }),
    isCurrent: key === current,
  }
}

/** Empty where there is no number. */
export const maskedIn = ({ phone }: Place): string => (phone === undefined ? '' : maskPhoneNumber(phone))
