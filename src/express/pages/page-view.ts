import type { ChallengeView } from '../../challenge/commands.js'
import type { Channel, Details } from '../../challenge/exchange/code-provider.js'
import type { DestinationView } from '../../challenge/reach/destinations.js'
import type { ResumedForm } from '../guard/resumption.js'
import type { Problem } from '../http/problems.js'
import type { PageLink, PageLinks } from './links.js'
import type { Texts } from './messages/en.js'

/** Facts of a page, decided before it is rendered. */
export interface PageView {
  /**
   * `code`: enter the code. `phone`: enter the number to verify. `start`: a button per destination sends a code.
   * `recovery`: enter a recovery code. `done`: the code was entered in another tab. `resume`: after the code, a button
   * submits the interrupted form; without `form` it is gone. `pair`: scan the QR code of a new authenticator app.
   * `problem`: only an explanation (not identified, cross-site, ...). `own`: a page of `tf.ownRoute`.
   */
  readonly page: 'code' | 'phone' | 'start' | 'recovery' | 'done' | 'resume' | 'pair' | 'problem' | 'own'
  /** Path of the routes without a trailing slash. Forms post to `${basePath}/verify`. */
  readonly basePath: string
  /** Address for the response to a form, so that a reload does not submit the form again. */
  readonly address?: string | undefined
  /** The live challenge, on the page `code` and on the page `start` behind it. */
  readonly challenge?: ChallengeView | undefined
  /** A challenge for the user's passkeys, on the page `start`. A browser without scripts cannot use it. */
  readonly passkey?: ChallengeView | undefined
  /** True if the provider's response to the send was lost. */
  readonly unconfirmed?: boolean
  /** Details that the code confirms, from the guard's option `describe`. Hostile: escape them. */
  readonly details?: Details | undefined
  /** Problem of the last form. */
  readonly problem?: PageProblem | undefined
  /** True if the problem is no error and is shown without alarm. */
  readonly isCalm?: boolean
  /** True if the page has a form that posts to `${basePath}/cancel`. */
  readonly isCancellable?: boolean
  /** The sealed requirement. Every form posts it. */
  readonly requirement?: string | undefined
  /** Path of this site to which a success leads. Every form posts it. */
  readonly returnTo?: string | undefined
  /** Purpose of the code. Every form posts it. */
  readonly purpose?: string | undefined
  /** Fields from the option `pages.formFields`. Every form posts them. Hostile: escape them. */
  readonly formFields?: Readonly<Record<string, string>>
  /** Milliseconds until any destination can be sent a code. */
  readonly waitMs?: number
  /** Longer waits of single destinations in milliseconds, by the id of the destination or by channel. */
  readonly waits?: Readonly<Record<string, number>> | undefined
  /** True if the button of the page `start` sends a code that replaces an ended one. */
  readonly isReplacement?: boolean
  /** Field of this page that fixes the problem. */
  readonly faultyField?: 'code' | 'phone' | 'country' | 'recovery' | 'pair' | undefined
  /** Link of the page `problem` that fixes the problem. */
  readonly mendedBy?: 'signIn' | 'addPhone' | undefined
  /** True if another number can be used, on the page `problem` of a sign-up. */
  readonly otherNumberMayDo?: boolean
  /** Destinations of codes, the preferred one first. Present if there may be several. */
  readonly destinations?: readonly DestinationView[] | undefined
  /**
   * On the page `start`, the destination of a code that replaces an expired one. Other destinations are one page
   * further.
   */
  readonly next?: DestinationView | undefined
  /** Channels for a first code, the preferred one first. */
  readonly channels: readonly Channel[]
  /** True if the user can choose to trust this device. */
  readonly offerTrust: boolean
  /** True if the form of the code has the field `offersPasskey`, which a script enables if the device can create a passkey. */
  readonly offersPasskey?: boolean
  /** Duration of the trust in milliseconds. */
  readonly trustForMs?: number | undefined
  /** True if codes may contain letters. */
  readonly lettersInCode: boolean
  /** Number of characters of every code, if the pattern of codes fixes it. */
  readonly codeLength?: number | undefined
  /** True if the user can change the number, which is at a sign-up only. */
  readonly changeableNumber: boolean
  /** True if the page mentions that an app is safer than a number. */
  readonly tellsRisk?: boolean
  /** Text of the code field, if it had no verdict. */
  readonly typedCode?: string | undefined
  /** The masked number for the first code, if there is only one number on file. */
  readonly destination?: string | undefined
  /** Text of the number field. */
  readonly typedPhone?: string | undefined
  /**
   * ISO 3166 code of the chosen country: the submitted one, or the region of the browser's language if it can be
   * chosen, or the first. After the reason `other-country`, the country that the number fits.
   */
  readonly chosenCountry?: string | undefined
  /** The number of a sign-up in its usual spelling, with its calling code if there are several countries. */
  readonly fullPhone?: string | undefined
  /** True if the page sets a cookie and its form reports it. A browser that returns no cookie blocks them. */
  readonly probesCookies?: boolean
  /** True if the field of the last form was empty. */
  readonly emptyField?: boolean
  /** True if a recovery code is accepted here. */
  readonly takesRecoveryCode?: boolean
  /** Present if the user chose another method than the pending code. Every form posts it. */
  readonly method?: PageLink['method']
  /** True if a form was interrupted and must be submitted again. */
  readonly formInterrupted?: boolean
  /** True if that form is saved. The user confirms it after the code and does not fill it in again. */
  readonly formKept?: boolean
  /** True if a correct code completes the interrupted action without another step. */
  readonly completes?: boolean
  /** The interrupted form. A button submits it; a script must not. Hostile: escape it. */
  readonly form?: ResumedForm | undefined
  /** On the page `resume` without `form`: true if the form was submitted. Otherwise its state is unknown. */
  readonly formSent?: boolean | undefined
  /** On the page `pair`: the secret, and the QR code as SVG. */
  readonly pairing?: { readonly secret: string; readonly uri: string; readonly qr: string } | undefined
  /** Content of the page `own`. */
  readonly own?: OwnPage | undefined
  /** Targets of the option `pages.links`. */
  readonly links: PageLinks
  /** Path to which the page `phone` leads back, in place of the link `home`. */
  readonly backPath?: string | undefined
  /** Links for users who cannot do what the page requires, one below the other. */
  readonly ways: readonly ExitLink[]
  /** ISO 3166 codes of the countries that can be chosen at a sign-up. */
  readonly countries: readonly string[]
  /** Calling codes of several countries, such as `57`. */
  readonly callingCodes?: Readonly<Record<string, string>> | undefined
  /** Name and logo of the app, from `pages.brand`. The default name is the `appName` of `login`. */
  readonly brand?: { readonly name: string; readonly logoUrl?: string } | undefined
  /** Version of the style sheet for its URL, because browsers keep the file for an hour. */
  readonly styleVersion?: string
  /** Milliseconds since 1970. */
  readonly now: number
}

/** Content of a page of your app, which has the look of the other pages. */
export interface OwnPage {
  /** Heading and title. Escaped by the package. */
  readonly title: string
  /** HTML below the heading. Escape texts of users. */
  readonly content: string
  /** The problem, above the heading. Escaped by the package. */
  readonly problem?: string | undefined
  /** The completed action, above the heading. It starts the title and takes the focus. Escaped by the package. */
  readonly notice?: string | undefined
}

/** A link that leads out of a page. */
export interface ExitLink {
  /** Key of its text. */
  readonly text: keyof Texts
  readonly to: string
  /** Milliseconds until the link works. */
  readonly afterMs?: number | undefined
  /** True if the link is the main target of the page. */
  readonly isMain?: boolean
}

export interface PageProblem
  extends Pick<
    Problem,
    | 'code'
    | 'attemptsRemaining'
    | 'retryAfterMs'
    | 'reason'
    | 'limit'
    | 'undecided'
    | 'isRenewed'
    | 'isReplaced'
    | 'delivery'
  > {
  /** True if no user is signed in although a code was required. */
  readonly signedOut?: boolean | undefined
}
