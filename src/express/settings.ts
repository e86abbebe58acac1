import type { Request, Response } from 'express'
import type { Method } from '../challenge/code-provider.js'
import type { BeforeSend } from '../challenge/commands.js'
import type { NumberOnFile } from '../challenge/destinations.js'
import type { Limits } from '../challenge/limits.js'
import type { Grant } from '../challenge/proofs/grants.js'
import type { RecoveryCodeStore } from '../challenge/recovery.js'
import type { SubjectOf } from './host/requester.js'
import type { SessionAdapter } from './host/session.js'
import type { FormFieldsOf } from './pages/form-fields.js'
import type { LocaleOf } from './pages/language.js'
import type { LinkOptions } from './pages/links.js'
import type { Messages } from './pages/messages/en.js'
import type { PageSettings } from './pages/pages.js'

type MayTakeTime<Value> = Value | null | undefined | Promise<Value | null | undefined>

/**
 * The number on file of a subject, in international form such as `+573001234567`; nothing when there is none. Or up to
 * five, the preferred one first: the person chooses.
 *
 * @example
 * phone: (req, subject) => ['+573001234567', { phone: '+5716012345', methods: ['call'], label: 'Office' }]
 */
export type PhoneOf = (
  req: Request,
  subject: string,
) => MayTakeTime<string | readonly (string | NumberOnFile)[]>

/** Authenticator apps of the subjects. */
export interface AuthenticatorOptions {
  /**
   * The secret on file of a subject, in base32 as `tf.authenticators` gave it; nothing when there is none. Whoever reads
   * it makes codes: keep it encrypted.
   *
   * @example
   * secretOf: async (req, subject) => decrypt((await users.find(subject)).authenticator)
   */
  readonly secretOf: (req: Request, subject: string) => MayTakeTime<string>
  /** What the app shows above the code: the name of yours. No colon. */
  readonly issuer: string
}

export type OnVerified = (req: Request, res: Response, grant: Grant) => void | Promise<void>

export type OnCancelled = (req: Request, res: Response) => void | Promise<void>

/** The options that what speaks HTTP goes by, checked, with every default in place. */
export interface HttpSettings extends PageSettings {
  readonly namespace: string
  readonly subject: SubjectOf
  readonly phone: PhoneOf
  readonly session?: SessionAdapter | undefined
  /** Where the routes are mounted. */
  readonly path: string
  /** By which a code may be asked for: the provider's, and `app`. */
  readonly methods: readonly Method[]
  readonly allowedOrigins: readonly string[]
  readonly limits: Limits
  /** Without `g` and `y`: it keeps no position between two codes. */
  readonly codePattern: RegExp
  /** Whether codes hold letters: phones then show their whole keyboard. */
  readonly codeLetters: boolean
  readonly knownBrowsers: { readonly maxAgeMs: number } | false
  readonly trustedDevices?: { readonly maxAgeMs: number } | undefined
  readonly recoveryCodes?: RecoveryCodeStore | undefined
  readonly authenticator?: AuthenticatorOptions | undefined
  /** The longest age that a step-up may accept, when a profile sets one. */
  readonly maxStepUpAgeMs: number
  /** Whether a payment must show amount and payee, by the profile (PSD2 RTS, article 5). */
  readonly dynamicLinking: boolean
  readonly onVerified?: OnVerified | undefined
  readonly onCancelled?: OnCancelled | undefined
  readonly beforeSend?:
    | ((req: Request, send: Parameters<BeforeSend>[0]) => ReturnType<BeforeSend>)
    | undefined
  readonly locale?: string | LocaleOf | undefined
  readonly messages: Messages
  readonly links: LinkOptions
  readonly formFields?: FormFieldsOf | undefined
}
