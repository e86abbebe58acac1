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
    ...{ waits: {}, expired: false, failed: false, untypedSince: 0 },
  },
})

/** The page that is decided for these facts. */
export const pageOf = (facts: PageFacts, texts: Texts): string => renderPage(pageFor(facts), texts)

const byApp = { ...challenge, channel: 'app', destination: '', channels: [] }

const destinationsAt = (current: string | undefined): NonNullable<PageFacts['destinations']> =>
  [
    { id: 'a', method: 'app', masked: '' },
    { id: 'b', method: 'sms', masked: '••••••67' },
    { id: 'c', method: 'sms', masked: '••••••21', label: 'Oficina <script>' },
    { id: 'd', method: 'call', masked: '••••••99' },
  ].map((one) => ({ ...one, isCurrent: one.method === current }))

const anotherWay: PageFacts = {
  ...codeView,
  channels: ['app', 'sms', 'call'],
  destinations: destinationsAt('sms'),
  method: 'any',
  takesRecoveryCode: true,
  links: { otherMethod: '/passkey' },
}

const pairing = {
  secret: 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP',
  uri: 'otpauth://totp/Acme:ana?secret=JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP&issuer=Acme',
  qr: '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1 1"><path fill="black" d="M0,0h1v1h-1z"/></svg>',
}

const details: PageFacts['details'] = {
  title: 'Transfer',
  rows: [
    ['Amount', '1,000 EUR'],
    ['To', 'Ben'],
  ],
}

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
  'code of an app': { ...codeView, challenge: byApp, destinations: destinationsAt('app') },
  'code of an app, wrong': {
    ...codeView,
    challenge: byApp,
    problem: { code: 'code_not_accepted', attemptsRemaining: 4 },
  },
  'code of one of several numbers': { ...codeView, destinations: destinationsAt('sms') },
  'code of one of several numbers, wrong': {
    ...codeView,
    destinations: destinationsAt('sms'),
    problem: { code: 'code_not_accepted', attemptsRemaining: 4 },
  },
  'another way': anotherWay,
  'another way, refused': { ...anotherWay, problem: { code: 'send_refused' } },
  'start, several destinations': {
    ...startView,
    channels: ['app', 'sms', 'call'],
    destinations: destinationsAt(undefined),
  },
  'a new app': { ...startView, pairing },
  'a new app, wrong code': { ...startView, pairing, problem: { code: 'code_not_accepted' } },
  'a new app, empty field': { ...startView, pairing, emptyField: true, problem: { code: 'invalid_request' } },
  'code that may not come': { ...codeView, unconfirmed: true },
  'code at signup': { ...codeView, changeableNumber: true },
  'first wrong code': { ...codeView, problem: { code: 'code_not_accepted', attemptsRemaining: 4 } },
  'second wrong code': { ...codeView, problem: { code: 'code_not_accepted', attemptsRemaining: 3 } },
  'unreadable code': { ...codeView, problem: { code: 'invalid_request' } },
  'unreadable code of a known length': { ...codeView, codeLength: 6, problem: { code: 'invalid_request' } },
  'unreadable code with letters': {
    ...codeView,
    codeLength: 8,
    lettersInCode: true,
    problem: { code: 'invalid_request' },
  },
  'last wrong code': { ...codeView, problem: { code: 'code_not_accepted', attemptsRemaining: 0 } },
  'no attempt left': { ...codeView, challenge: { ...challenge, attemptsRemaining: 0 } },
  'locked number at signup': { ...phoneView, problem: { code: 'phone_locked', retryAfterMs: 15 * 60_000 } },
  'too soon': { ...codeView, problem: { code: 'resend_too_soon', retryAfterMs: 43_000 } },
  'refused number': {
    ...startView,
    destination: '••••••67',
    problem: { code: 'delivery_failed' },
    ...coolingDown(60_000),
  },
  'refused number, not yet called': {
    ...startView,
    destination: '••••••67',
    problem: { code: 'delivery_failed' },
    outlook: { waits: { sms: 60_000 }, expired: false, failed: true, untypedSince: 0 },
    links: { support: '/help' },
  },
  'start, a code sent elsewhere': {
    ...startView,
    destination: '••••••67',
    problem: { code: 'resend_too_soon', retryAfterMs: 43_000 },
  },
  unchecked: { ...codeView, problem: { code: 'verification_unavailable' } },
  start: startView,
  expired: { ...startView, problem: { code: 'challenge_gone' } },
  'expired, one of several numbers': {
    ...startView,
    channels: ['sms', 'call'],
    destinations: destinationsAt(undefined).slice(1),
    problem: { code: 'challenge_gone' },
  },
  'start, paused': { ...startView, problem: { code: 'sending_paused', retryAfterMs: 15_000 } },
  'expired, cooling down': { ...startView, problem: { code: 'challenge_gone' }, ...coolingDown(40_000) },
  'start, cooling down': { ...startView, ...coolingDown(40_000) },
  'start, send limit': { ...startView, problem: { code: 'send_limit', retryAfterMs: 35 * 60_000 } },
  'no cookies': { ...phoneView, problem: { code: 'session_unavailable' } },
  'code at signup, number shown': { ...codeView, changeableNumber: true, fullPhone: '+57 300 123 4567' },
  phone: phoneView,
  'phone, brought back': {
    ...phoneView,
    typedPhone: '300 123 4567',
    chosenCountry: 'CO',
    probesCookies: true,
  },
  'phone, refused': {
    ...phoneView,
    typedPhone: '300 123',
    chosenCountry: 'CO',
    problem: { code: 'destination_not_allowed' },
  },
  'step-up that simply asks': {
    ...startView,
    problem: { code: 'second_factor_required' },
    formInterrupted: true,
  },
  'step-up that keeps the form': { ...startView, formInterrupted: true, formKept: true },
  'form to be sent': {
    ...startView,
    resumed: true,
    returnTo: '/transfer',
    details,
    form: { action: '/transfer', fields: [['amount', '"><b>1000']] },
  },
  'form to be sent, nothing to be seen': {
    ...startView,
    resumed: true,
    returnTo: '/transfer',
    form: { action: '/transfer', fields: [['amount', '1000']] },
  },
  'form that is gone': { ...startView, resumed: true, returnTo: '/transfer' },
  'already confirmed': { ...startView, proven: true, returnTo: '/account' },
  'empty code': { ...codeView, emptyField: true, problem: { code: 'invalid_request' } },
  'empty number': { ...phoneView, emptyField: true, problem: { code: 'invalid_request' } },
  'phone of another country': {
    ...phoneView,
    typedPhone: '11 91234 5678',
    chosenCountry: 'BR',
    problem: { code: 'destination_not_allowed', reason: 'other-country' },
  },
  landline: { ...phoneView, problem: { code: 'destination_not_allowed', reason: 'not-a-mobile' } },
  'foreign country': {
    ...phoneView,
    problem: { code: 'destination_not_allowed', reason: 'country-not-allowed' },
  },
  'bad length': { ...phoneView, problem: { code: 'invalid_request', reason: 'wrong-length' } },
  'send limit': { ...codeView, problem: { code: 'send_limit', retryAfterMs: 35 * 60_000 } },
  'every link': {
    ...startView,
    problem: { code: 'phone_disabled' },
    links: { support: '/help', lostPhone: '/lost', otherMethod: '/passkey', home: '/' },
  },
  branded: { ...codeView, brand: { name: 'Acme', logoUrl: '/logo.svg' } },
  'start, recovery codes': { ...startView, takesRecoveryCode: true },
  recovery: recoveryView,
  'recovery, every link': {
    ...recoveryView,
    links: { support: '/help', lostPhone: '/lost', otherMethod: '/passkey' },
  },
  'empty recovery code': { ...recoveryView, emptyField: true, problem: { code: 'invalid_request' } },
  'unreadable recovery code': { ...recoveryView, problem: { code: 'invalid_request' } },
  'wrong recovery code': {
    ...recoveryView,
    problem: { code: 'code_not_accepted', attemptsRemaining: 2 },
  },
  'no recovery try left': {
    ...recoveryView,
    problem: { code: 'attempts_exhausted', retryAfterMs: 23 * 3_600_000 },
  },
  locked: { ...startView, problem: { code: 'phone_locked', retryAfterMs: 15 * 60_000 } },
  disabled: { ...startView, problem: { code: 'phone_disabled' } },
  'not identified': { ...startView, problem: { code: 'not_identified' } },
  'cross-site': { ...startView, problem: { code: 'cross_site' } },
}
