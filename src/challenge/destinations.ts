import type { Channel } from './code-provider.js'
import type { Secrets } from './secrets.js'

/** One of several numbers of a person. */
export interface NumberOnFile {
  /** In international form, such as `+573001234567`. */
  readonly phone: string
  /** How codes may travel to it; any way by default. */
  readonly methods?: readonly Channel[] | undefined
  /** What the person calls it, such as `Office`; default: its last digits. */
  readonly label?: string | undefined
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

/** Whether there may be something to choose among; one number alone has no id. */
export const mayHaveSeveral = (onFile: { readonly numbers?: unknown; readonly secret?: unknown }): boolean =>
  onFile.numbers !== undefined || onFile.secret !== undefined

/** How many there are to choose among. */
export const choicesOf = ({
  phone,
  numbers = [phone],
  secret,
}: {
  readonly phone?: string | undefined
  readonly numbers?: readonly unknown[] | undefined
  readonly secret?: unknown
}): number => [...numbers, secret].filter((one) => one !== undefined).length

/** By which a browser that remembers it tells a way to this subject from the others. */
export const wayTag = (
  secrets: Pick<Secrets, 'tag'>,
  { subject }: { readonly subject: string },
  channel: Channel,
  phone: string | undefined,
): string => secrets.tag('destination', JSON.stringify([subject, channel, phone]))
