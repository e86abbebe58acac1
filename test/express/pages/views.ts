import type { ChallengeView } from '../../../src/challenge/commands.js'
import type { Texts } from '../../../src/express/pages/messages/en.js'
import { type PageFacts, pageFor } from '../../../src/express/pages/page-for.js'
import { renderPage } from '../../../src/express/pages/pages.js'

export const now = Date.UTC(2025, 0, 1)

const challenge: ChallengeView = {
  id: 'c1',
  purpose: 'login',
  channel: 'sms',
  destination: '••••••67',
  expiresAt: now + 10 * 60_000,
  resendAt: now + 60_000,
  attemptsRemaining: 5,
  delivery: 'sent',
  channels: ['sms', 'call'],
  resendAtBy: {},
}

/** A code page of a sign-in, just sent. */
export const codeView: PageFacts & { readonly challenge: ChallengeView } = {
  basePath: '/two-factor',
  challenge,
  requirement: 'signed',
  offerTrust: false,
  lettersInCode: false,
  links: {},
  changeableNumber: false,
  countries: ['CO'],
  channels: ['sms', 'call'],
  now,
}

const { challenge: _, ...startView } = codeView

export { startView }
export const recoveryView: PageFacts = {
  ...startView,
  takesRecoveryCode: true,
  method: 'recovery-code',
}
export const phoneView: PageFacts = {
  ...startView,
  changeableNumber: true,
  countries: ['MX', 'CO', 'BR', 'ES'],
  callingCodes: { MX: '52', CO: '57', BR: '55', ES: '34' },
  chosenCountry: 'MX',
}

/** What a start that cools down would meet. */
export const coolingDown = (retryAfterMs: number): Pick<PageFacts, 'outlook'> => ({
  outlook: {
    refusal: { outcome: 'refused', code: 'resend_too_soon', retryAfterMs },
    ...{ waits: {}, expired: false, failed: false as const, untypedSince: 0 },
  },
})

/** The page that is decided for these facts. */
export const pageOf = (facts: PageFacts, texts: Texts): string => renderPage(pageFor(facts), texts)

/** The same while a problem is told. */
const told = (
  facts: PageFacts,
  code: NonNullable<PageFacts['problem']>['code'],
  more: Partial<PageFacts['problem']> = {},
): PageFacts => ({ ...facts, problem: { code, ...more } })

const destinationsAt = (current: string | undefined): NonNullable<PageFacts['destinations']> =>
  [
    { id: 'a', method: 'app', masked: '' },
    { id: 'b', method: 'sms', masked: '••••••67' },
    { id: 'c', method: 'sms', masked: '••••••21', label: 'Oficina <script>' },
    { id: 'd', method: 'call', masked: '••••••99' },
  ].map((one) => ({ ...one, isCurrent: one.method === current }))

const appView: PageFacts = {
  ...codeView,
  challenge: { ...challenge, channel: 'app', destination: '', channels: [] },
}
const severalView: PageFacts = { ...codeView, destinations: destinationsAt('sms') }
const anotherWay: PageFacts = {
  ...severalView,
  channels: ['app', 'sms', 'call'],
  method: 'any',
  takesRecoveryCode: true,
  links: { otherMethod: '/passkey' },
}
const namedView: PageFacts = { ...startView, destination: '••••••67' }
const pairView: PageFacts = {
  ...startView,
  pairing: {
    secret: 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP',
    uri: 'otpauth://totp/Acme:ana?secret=JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP&issuer=Acme',
    qr: '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1 1"><path fill="black" d="M0,0h1v1h-1z"/></svg>',
  },
}
const typedView: PageFacts = { ...phoneView, typedPhone: '300 123 4567', chosenCountry: 'CO' }
const resumeView: PageFacts = { ...startView, resumed: true, returnTo: '/transfer' }
const form: PageFacts['form'] = { action: '/transfer', fields: [['amount', '"><b>1000']] }
const details: PageFacts['details'] = {
  title: 'Transfer',
  rows: [
    ['Amount', '1,000 EUR'],
    ['To', 'Ben'],
  ],
}
const minuteMs = 60_000

/** Every state that a person may meet. */
export const states: Readonly<Record<string, PageFacts>> = {
  code: codeView,
  'code, all options': {
    ...codeView,
    offerTrust: true,
    trustForMs: 30 * 86_400_000,
    codeLength: 6,
    challenge: { ...challenge, resendAt: now },
  },
  'code for what is shown': { ...codeView, codeLength: 6, details },
  'code by call': { ...codeView, challenge: { ...challenge, channel: 'call' } },
  'code by call, unreadable': told(
    { ...codeView, challenge: { ...challenge, channel: 'call' } },
    'invalid_request',
  ),
  'code of an app': { ...appView, destinations: destinationsAt('app') },
  'code of an app, wrong': told(appView, 'code_not_accepted', { attemptsRemaining: 4 }),
  'code of one of several numbers': severalView,
  'code of one of several numbers, wrong': told(severalView, 'code_not_accepted', { attemptsRemaining: 4 }),
  'code that may not come': { ...codeView, unconfirmed: true },
  'code at signup': { ...codeView, changeableNumber: true },
  'code at signup, number shown': { ...codeView, changeableNumber: true, fullPhone: '+57 300 123 4567' },
  'empty code': told({ ...codeView, emptyField: true }, 'invalid_request'),
  'unreadable code': told(codeView, 'invalid_request'),
  'unreadable code of a known length': told({ ...codeView, codeLength: 6 }, 'invalid_request'),
  'unreadable code with letters': told(
    { ...codeView, codeLength: 8, lettersInCode: true },
    'invalid_request',
  ),
  'second wrong code': told(codeView, 'code_not_accepted', { attemptsRemaining: 3 }),
  'last wrong code': told(codeView, 'code_not_accepted', { attemptsRemaining: 0 }),
  'too soon': told(codeView, 'resend_too_soon', { retryAfterMs: 43_000 }),
  'send limit': told(codeView, 'send_limit', { retryAfterMs: 35 * minuteMs }),
  unchecked: told(codeView, 'verification_unavailable'),
  branded: { ...codeView, brand: { name: 'Acme', logoUrl: '/logo.svg' } },

  'another way': anotherWay,
  'another way, refused': told(anotherWay, 'send_refused'),
  'a new app': pairView,
  'a new app, wrong code': told(pairView, 'code_not_accepted'),
  'a new app, empty field': told({ ...pairView, emptyField: true }, 'invalid_request'),

  start: startView,
  'start, several destinations': {
    ...startView,
    channels: ['app', 'sms', 'call'],
    destinations: destinationsAt(undefined),
  },
  'start, recovery codes': { ...startView, takesRecoveryCode: true },
  'start, cooling down': { ...startView, ...coolingDown(40_000) },
  'start, a code sent elsewhere': told(namedView, 'resend_too_soon', { retryAfterMs: 43_000 }),
  'start, paused': told(startView, 'sending_paused', { retryAfterMs: 15_000 }),
  'start, send limit': told(startView, 'send_limit', { retryAfterMs: 35 * minuteMs }),
  expired: told(startView, 'challenge_gone'),
  'expired, cooling down': told({ ...startView, ...coolingDown(40_000) }, 'challenge_gone'),
  'expired, one of several numbers': told(
    { ...startView, destinations: destinationsAt(undefined).slice(1) },
    'challenge_gone',
  ),
  'refused number': told({ ...namedView, ...coolingDown(60_000) }, 'delivery_failed'),
  'refused number, not yet called': told(
    {
      ...namedView,
      outlook: {
        waits: { sms: 60_000 },
        expired: false,
        failed: 'delivery_failed' as const,
        untypedSince: 0,
      },
      links: { support: '/help' },
    },
    'delivery_failed',
  ),
  'step-up that simply asks': told({ ...startView, formInterrupted: true }, 'second_factor_required'),
  'step-up that keeps the form': { ...startView, formInterrupted: true, formKept: true },
  'form to be sent': { ...resumeView, details, form },
  'form to be sent, nothing to be seen': { ...resumeView, form },
  'form that is gone': resumeView,
  'already confirmed': { ...startView, proven: true, returnTo: '/account' },

  phone: phoneView,
  'phone, brought back': { ...typedView, probesCookies: true },
  'phone, refused': told(typedView, 'destination_not_allowed'),
  'phone of another country': told(typedView, 'destination_not_allowed', { reason: 'other-country' }),
  'empty number': told({ ...phoneView, emptyField: true }, 'invalid_request'),
  landline: told(phoneView, 'destination_not_allowed', { reason: 'not-a-mobile' }),
  'foreign country': told(phoneView, 'destination_not_allowed', { reason: 'country-not-allowed' }),
  'no such number': told(phoneView, 'invalid_request', { reason: 'not-assigned' }),
  'bad length': told(phoneView, 'invalid_request', { reason: 'wrong-length' }),
  'locked number at signup': told(phoneView, 'account_locked', { retryAfterMs: 15 * minuteMs }),
  'no cookies': told(phoneView, 'session_unavailable'),

  recovery: recoveryView,
  'recovery, every link': {
    ...recoveryView,
    links: { support: '/help', lostPhone: '/lost', otherMethod: '/passkey' },
  },
  'empty recovery code': told({ ...recoveryView, emptyField: true }, 'invalid_request'),
  'unreadable recovery code': told(recoveryView, 'invalid_request'),
  'wrong recovery code': told(recoveryView, 'code_not_accepted', { attemptsRemaining: 2 }),
  'no recovery try left': told(recoveryView, 'attempts_exhausted', { retryAfterMs: 23 * 60 * minuteMs }),

  locked: told(startView, 'account_locked', { retryAfterMs: 15 * minuteMs }),
  'every link': told(
    { ...startView, links: { support: '/help', lostPhone: '/lost', otherMethod: '/passkey', home: '/' } },
    'account_disabled',
  ),
  disabled: told(startView, 'account_disabled'),
  'not identified': told(startView, 'not_identified'),
  'cross-site': told(startView, 'cross_site'),
}
