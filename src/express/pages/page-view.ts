import type { ChallengeView } from '../../challenge/commands.js'
import type { Channel, Details } from '../../challenge/exchange/code-provider.js'
import type { DestinationView } from '../../challenge/reach/destinations.js'
import type { ResumedForm } from '../guard/resumption.js'
import type { Problem } from '../http/problems.js'
import type { PageLink, PageLinks } from './links.js'
import type { Texts } from './messages/en.js'

/** Everything a page shows, decided before it is rendered. */
export interface PageView {
  /**
   * `code`: type the code. `phone`: type the number to be proven. `start`: nothing is live yet, or another way
   * was asked for; a button for each sends a code. `recovery`: type a recovery code. `done`: the proof was given already, in
   * another tab. `resume`: the code was right, and a button posts the interrupted form; without `form` it is
   * gone. `pair`: scan the QR code of a new authenticator app. `problem`: only the explanation (not identified,
   * cross-site, ...). `own`: one of `tf.ownRoute`.
   */
  readonly page: 'code' | 'phone' | 'start' | 'recovery' | 'done' | 'resume' | 'pair' | 'problem' | 'own'
  /** Where the routes are mounted, without a trailing slash: forms post to `${basePath}/verify`. */
  readonly basePath: string
  /** The page's own address, where it responded to a form: a reload must not send that again. */
  readonly address?: string | undefined
  /** The live challenge, on the page `code`, and on the page `start` that was reached from there. */
  readonly challenge?: ChallengeView | undefined
  /** Whether the provider never said that the code was sent. */
  readonly unconfirmed?: boolean
  /** What the code confirms, from the option `describe` of the guard. Hostile: escape it. */
  readonly details?: Details | undefined
  /** What went wrong with the last form. */
  readonly problem?: PageProblem | undefined
  /** Whether the problem is nobody's error, and is told without alarm. */
  readonly isCalm?: boolean
  /** Whether the page can be left by a form that posts to `${basePath}/cancel`. */
  readonly isCancellable?: boolean
  /** Posted back by every form. */
  readonly requirement?: string | undefined
  /** Where success leads: a path of this site. Posted back by every form. */
  readonly returnTo?: string | undefined
  /** What is to be proven. Posted back by every form. */
  readonly purpose?: string | undefined
  /** From the option `pages.formFields`, posted by every form too. Hostile: escape them. */
  readonly formFields?: Readonly<Record<string, string>>
  /** How long no code would be sent by any way, in milliseconds. */
  readonly waitMs?: number
  /** How long none would be by those ways that have to wait longer, by the id of the destination or by the channel. */
  readonly waits?: Readonly<Record<string, number>> | undefined
  /** Whether the button of the page `start` sends a code in place of one that no longer works. */
  readonly isReplacement?: boolean
  /** The field of this page that the problem can be mended in. */
  readonly faultyField?: 'code' | 'phone' | 'country' | 'recovery' | 'pair' | undefined
  /** The link that mends the problem, on the page `problem`. */
  readonly mendedBy?: 'signIn' | 'addPhone' | undefined
  /** Whether another number may be used, on the page `problem` of a signup. */
  readonly otherNumberMayDo?: boolean
  /** Where codes may come from, the preferred one first, when there may be more than a number. */
  readonly destinations?: readonly DestinationView[] | undefined
  /** On the page `start`, the one of them that gets a code in place of one that ran out: the others are a page further. */
  readonly next?: DestinationView | undefined
  /** How a first code may travel, the preferred way first. */
  readonly channels: readonly Channel[]
  /** Whether the person may ask to trust this device. */
  readonly offerTrust: boolean
  /** For how long, in milliseconds. */
  readonly trustForMs?: number | undefined
  /** Whether codes may hold letters. */
  readonly lettersInCode: boolean
  /** How many characters every code has, when the pattern of codes says it. */
  readonly codeLength?: number | undefined
  /** Whether the number may be changed: at signup alone. */
  readonly changeableNumber: boolean
  /** Whether the person reads that an app is safer than the number that is asked for. */
  readonly tellsRisk?: boolean
  /** What was typed into the field of the code, where it has met no verdict. */
  readonly typedCode?: string | undefined
  /** Where the first code goes, masked, where that is one number on file. */
  readonly destination?: string | undefined
  /** What was typed into the number field. */
  readonly typedPhone?: string | undefined
  /**
   * What is chosen beside it, as an ISO 3166 code: what was sent with it, else the region of the browser's language,
   * where one can be chosen; else the first. After the reason `other-country`: the country that the number fits.
   */
  readonly chosenCountry?: string | undefined
  /** The number that the code went to at signup, as people write it: with its calling code where there are several countries. */
  readonly fullPhone?: string | undefined
  /** Whether the page sets a cookie and its form says so: a browser that sends none back blocks them. */
  readonly probesCookies?: boolean
  /** Whether the field of the last form was left empty. */
  readonly emptyField?: boolean
  /** Whether a recovery code will do here. */
  readonly takesRecoveryCode?: boolean
  /** Set where the person asked for another way than the code that is awaited. Posted back by every form. */
  readonly method?: PageLink['method']
  /** Whether a form was interrupted that has to be submitted again afterwards. */
  readonly formInterrupted?: boolean
  /** Whether that form is kept: it is confirmed after the code and not submitted again by hand. */
  readonly formKept?: boolean
  /** Whether the right code alone completes the action that was interrupted. */
  readonly completes?: boolean
  /** The interrupted form, to be posted by one button and never by itself. Hostile: escape it. */
  readonly form?: ResumedForm | undefined
  /** On the page `resume` without `form`: whether it was sent. Otherwise nothing is known of it. */
  readonly formSent?: boolean | undefined
  /** On the page `pair`: the secret, and the QR code as SVG. */
  readonly pairing?: { readonly secret: string; readonly uri: string; readonly qr: string } | undefined
  /** On the page `own`: what it shows. */
  readonly own?: OwnPage | undefined
  /** What the option `pages.links` leads to. */
  readonly links: PageLinks
  /** Where the page `phone` leads back to, in place of the link `home`. */
  readonly backPath?: string | undefined
  /** For whoever cannot do what the page is there for, one below the other. */
  readonly ways: readonly ExitLink[]
  /** ISO 3166 codes to choose from at signup. */
  readonly countries: readonly string[]
  /** Their calling codes, such as `57`, where there are several. */
  readonly callingCodes?: Readonly<Record<string, string>> | undefined
  /** Name and logo of the app, from `pages.brand`; without it the name is `appName`, that of `login`. */
  readonly brand?: { readonly name: string; readonly logoUrl?: string } | undefined
  /** Version of the style sheet, for its URL: browsers keep the file for an hour. */
  readonly styleVersion?: string
  /** Milliseconds since 1970. */
  readonly now: number
}

/** What a page of the host's own shows, in the look of the others. */
export interface OwnPage {
  /** Heading and title. Escaped by the package. */
  readonly title: string
  /** HTML below the heading: escape what others wrote. */
  readonly content: string
  /** What went wrong, above the heading. Escaped by the package. */
  readonly problem?: string | undefined
  /** What was done just now, above the heading. It begins the title and takes the focus. Escaped by the package. */
  readonly notice?: string | undefined
}

/** A link that leads out of a page. */
export interface ExitLink {
  /** Key of its text. */
  readonly text: keyof Texts
  readonly to: string
  /** It works only after so many milliseconds. */
  readonly afterMs?: number | undefined
  /** Whether the page is there to lead to it. */
  readonly isMain?: boolean
}

export interface PageProblem
  extends Pick<Problem, 'code' | 'attemptsRemaining' | 'retryAfterMs' | 'reason' | 'limit' | 'wasOpen'> {
  /** Nobody is signed in, where a code had been asked for. */
  readonly signedOut?: boolean | undefined
}
