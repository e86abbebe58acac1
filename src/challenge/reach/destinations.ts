import type { TotpSecret } from '../../lib/totp.js'
import type { Channel } from '../exchange/code-provider.js'
import type { Signer } from './signer.js'

/** A number of an account with several. */
export interface NumberOnFile {
  /** The number in international form, such as `+573001234567`, or a national number with its `country`. */
  readonly phone: string
  /** ISO 3166 code of the country of a national number, such as `CO`. */
  readonly country?: string | undefined
  /** Methods by which codes can be sent to it. Default: all. */
  readonly methods?: readonly Channel[] | undefined
  /** Name that the user gave it, such as `Office`. Default: its last digits. */
  readonly label?: string | undefined
}

/** The factors on file of an account. */
export interface OnFile {
  /** The number in any usual spelling. At sign-in it is the number on file. Absent if there is none. */
  readonly phone?: string | undefined
  /** ISO 3166 code of the country of a national number. */
  readonly country?: string | undefined
  /** Several numbers instead of one, the preferred one first. */
  readonly numbers?: readonly NumberOnFile[] | undefined
  /** Secret of the authenticator app; bytes alone make the usual codes. Absent if there is no app. */
  readonly secret?: TotpSecret | Uint8Array | undefined
  /** The passkeys. Absent if there are none. */
  readonly signer?: Signer | undefined
}

/** A number with a method, an app, or the passkeys, for the user to choose. */
export interface DestinationView {
  /** Opaque id that is valid for this account in this session only. */
  readonly id: string
  /** Method of the code, such as `sms`. */
  readonly method: Channel
  /** The masked number. Empty for an authenticator app and for passkeys. */
  readonly masked: string
  /** Name that the user gave it. */
  readonly label?: string | undefined
  /** True if the live challenge uses this destination. */
  readonly isCurrent: boolean
}

/** Returns the numbers, one or several. */
export const allNumbers = ({ phone, country, numbers }: OnFile): readonly NumberOnFile[] =>
  numbers ?? (phone === undefined ? [] : [{ phone, country }])

/** Returns whether the user may have a choice. A single number has no id. */
export const mayHaveSeveral = ({ numbers, secret, signer }: OnFile): boolean =>
  [numbers, secret, signer].some((factor) => factor !== undefined)

/** Returns the number of choices. */
export const choicesOf = (onFile: OnFile): number =>
  allNumbers(onFile).length + [onFile.secret, onFile.signer].filter((factor) => factor !== undefined).length
