import type { Channel } from '../exchange/code-provider.js'

/** One of several numbers of a person. */
export interface NumberOnFile {
  /** In international form, such as `+573001234567`. */
  readonly phone: string
  /** How codes may travel to it; any way by default. */
  readonly methods?: readonly Channel[] | undefined
  /** What the person calls it, such as `Office`; default: its last digits. */
  readonly label?: string | undefined
}

/** What is on file of a person. */
export interface OnFile {
  /** The number, in any usual spelling; in the auth lane the one on file. Absent: there is none. */
  readonly phone?: string | undefined
  /** In place of it several, the preferred one first. */
  readonly numbers?: readonly NumberOnFile[] | undefined
  /** The secret that the authenticator app of the subject has, too; absent: there is no such app. */
  readonly secret?: Uint8Array | undefined
}

/** A number by a method, or an app, as the person may see and choose it. */
export interface DestinationView {
  /** Opaque, and good for this subject in this session alone. */
  readonly id: string
  /** How a code travels there, such as `sms`. */
  readonly method: Channel
  /** The masked number; empty for an authenticator app. */
  readonly masked: string
  /** What the person calls it. */
  readonly label?: string | undefined
  /** Whether the live challenge is there. */
  readonly isCurrent: boolean
}

/** The numbers, one or several. */
export const allNumbers = ({ phone, numbers }: OnFile): readonly NumberOnFile[] =>
  numbers ?? (phone === undefined ? [] : [{ phone }])

/** Whether there may be something to choose among; one number alone has no id. */
export const mayHaveSeveral = ({ numbers, secret }: OnFile): boolean =>
  numbers !== undefined || secret !== undefined

/** How many there are to choose among. */
export const choicesOf = (onFile: OnFile): number =>
  allNumbers(onFile).length + (onFile.secret === undefined ? 0 : 1)
