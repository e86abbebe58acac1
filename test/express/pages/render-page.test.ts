import type { Request } from 'express'
import { describe, expect, it } from 'vitest'
import { httpStatusOf, type ProblemCode } from '../../../src/errors.js'
import { createFormFields } from '../../../src/express/pages/forms.js'
import { createTexts } from '../../../src/express/pages/language.js'
import type { Texts } from '../../../src/express/pages/messages/en.js'
import type { PageFacts } from '../../../src/express/pages/page-for.js'
import { codeView, now, pageOf, phoneView, recoveryView, startView, states } from './views.js'

const texts = createTexts({})
const [en, es, pt] = [...texts.values()] as [Texts, Texts, Texts]
const { challenge } = codeView

/** What a person reads, in one line. */
function words(page: string): string {
  return page
    .replace(/^.*<body>/s, '')
    .replace(/<[^>]+>/g, ' ')
    .replace(/\s+/g, ' ')
    .replace(/ ([.,])/g, '$1')
}

const show = (view: PageFacts, language = en) => words(pageOf(view, language))

describe('the code page', () => {
  it('has one input that takes a code from the message and cuts no paste', () => {
    const page = pageOf(codeView, en)
    const inputs = page.match(/<input(?! type="hidden")[^>]*>/g)
    expect(inputs).toHaveLength(1)
    expect(inputs?.[0]).toContain('type="text" inputmode="numeric" autocomplete="one-time-code"')
    expect(page).toContain('<label for="code">Security code</label>')
    expect(page).not.toMatch(/maxlength|pattern=|required/)
    // To ask for another code is never the first choice.
    expect(page.match(/class="main/g)).toHaveLength(1)
    expect(pageOf(states.branded ?? codeView, en)).toContain(
      '<p class="brand"><img src="/logo.svg" alt="Acme">',
    )
  })

  it('shows the destination of the code, for eyes and for ears, and its lifetime', () => {
    expect(show(codeView)).toContain('••••••67 the number ending in 6 7. It works for 10 minutes.')
  })

  it.each([
    [10 * 60_000 - 4_000, '10 minutes'],
    [10 * 60_000 - 6_000, '9 minutes'],
    [30_000, '35 seconds'],
  ])('never promises a life of the code that is not there: %i ms', (leftMs, words) => {
    const view = { ...codeView, challenge: { ...challenge, expiresAt: now + leftMs } }
    expect(show(view)).toContain(`It works for ${words}.`)
  })

  it('posts to the mount and takes the requirement and the way back along in each form', () => {
    const page = pageOf({ ...codeView, returnTo: '/transfers?step=2', purpose: 'transfer' }, en)
    const forms = page.match(/<form.*?<\/form>/gs) ?? []
    expect(forms.map((form) => form.match(/action="([^"]*)"/)?.[1])).toEqual([
      '/two-factor/verify',
      '/two-factor/resend',
      '/two-factor/cancel',
    ])
    for (const form of forms) {
      expect(form).toContain('<input type="hidden" name="requirement" value="signed">')
      expect(form).toContain('<input type="hidden" name="returnTo" value="/transfers?step=2">')
      expect(form).toContain('<input type="hidden" name="purpose" value="transfer">')
    }
  })

  it('offers to trust the device only when asked to', () => {
    expect(pageOf(codeView, en)).not.toContain('trustDevice')
    const offer = pageOf({ ...codeView, offerTrust: true, trustForMs: 30 * 24 * 3_600_000 }, en)
    expect(offer).toMatch(/name="trustDevice"[^>]*><label for="trust">[^<]*30 days/)
  })

  it.each(['code', 'start', 'refused number', 'code of one of several numbers'])(
    'leads to support and to the page for a lost phone: %s',
    (state) => {
      const links = { support: '/help', lostPhone: '/lost' }
      const page = pageOf({ ...(states[state] ?? codeView), links }, en)
      expect(page).toContain('<a href="/help">Contact support</a>')
      expect(page).toContain('<a href="/lost">I don&#39;t have this phone</a>')
    },
  )

  it('leads who lost the phone to the recovery codes first, and from there to the host', () => {
    const links = { lostPhone: '/lost' }
    const takesRecoveryCode = true
    const start = pageOf({ ...startView, links, takesRecoveryCode, purpose: 'login' }, en)
    expect(start).toContain(
      '/two-factor?requirement=signed&amp;purpose=login&amp;method=recovery-code">Use a recovery code</a>',
    )
    expect(start.indexOf('/lost')).toBeGreaterThan(start.indexOf('recovery-code'))
    const page = pageOf({ ...recoveryView, links }, en)
    expect(page).toContain('<a href="/lost">I don&#39;t have a recovery code</a>')
    expect(page).toContain('<a href="/two-factor?requirement=signed">Use your phone instead</a>')
    expect(page).toContain('name="recoveryCode" type="text" autocomplete="off"')
    expect(page).toContain('<input type="hidden" name="requirement" value="signed">')
    // Trying again would only be refused until the day is over.
    expect(pageOf(states['no recovery try left'] ?? recoveryView, en)).not.toContain('/verify"')
    // Problems that pass lead back to where the person was.
    const busy = pageOf({ ...recoveryView, problem: { code: 'store_unavailable' } }, en)
    expect(busy).toContain('method=recovery-code">Try again</a>')
  })
})

describe('a problem', () => {
  it.each([
    ['second wrong code', 'You have 3 tries left.'],
    ['unreadable code', 'Enter the whole code from the message.'],
    ['unreadable code of a known length', 'It has 6 digits.'],
    ['unreadable code with letters', 'It has 8 letters and digits.'],
    ['empty code', 'Enter the code from the message.'],
    ['code by call, unreadable', 'Enter the whole code we gave you.'],
    ['code of an app, wrong', 'enter that one, not a code that we sent you.'],
    ['a new app, wrong code', 'Check that your phone sets its time by itself.'],
    ['refused number', 'Use another way, or contact support'],
    ['refused number, not yet called', 'Try a call, use another way, or contact support.'],
    ['expired, one of several numbers', 'Send a new code: the number ending in 67 Get a code another way'],
    ['start, a code sent elsewhere', 'You can ask for a new one in 43 seconds.'],
    ['too soon', 'A code was sent a moment ago.'],
    ['expired', 'That code no longer works. Ask for a new one.'],
    ['start, paused', 'Try again in 15 seconds.'],
    ['phone, refused', 'We can&#39;t send codes to this number.'],
    ['empty number', 'Enter your mobile number.'],
    ['landline', 'That doesn&#39;t look like a mobile number.'],
    ['foreign country', 'these countries only: Brazil, Colombia, Mexico, and Spain.'],
    ['bad length', 'It has too few or too many digits.'],
    ['locked', 'You can try again at 00:15 UTC. If it wasn&#39;t you, change your password.'],
    ['last wrong code', 'You can ask for a new one at 00:10 UTC. If it wasn&#39;t you,'],
    ['code of one of several numbers, wrong', 'Use the code that we sent you, not one from your app.'],
    ['empty recovery code', 'Enter a recovery code.'],
    ['unreadable recovery code', 'It has 24 letters and digits.'],
    ['wrong recovery code', 'You may have used it already. You have 2 tries left.'],
    ['no recovery try left', 'You can try again on Jan 1, 23:00 UTC.'],
    ['step-up that simply asks', 'You will need to submit the form again after this.'],
    ['a new app', 'Scan this picture with the app, then enter the code that it shows.'],
    ['recovery, every link', 'Confirm in another way'],
  ])('has its own text: %s', (state, sentence) => {
    expect(show(states[state] ?? codeView)).toContain(sentence)
  })

  it.each([
    [es, 13, 'a las 01:05 UTC', 'a la 01:05 UTC'],
    [pt, 13, 'às 01:05 UTC', 'à 01:05 UTC'],
  ])('has the form of the language for one o’clock: $lang', (language, hours, wrongly, rightly) => {
    const at = now + hours * 3_600_000
    const problem = { code: 'account_locked', retryAfterMs: 65 * 60_000 } as const
    expect(show({ ...startView, problem }, language)).toContain(rightly)
    expect(show({ ...startView, now: at, problem }, language)).toContain(wrongly.replace('01', '14'))
  })

  it('changes the title, leads to its field and takes the focus there', () => {
    const page = pageOf({ ...codeView, problem: { code: 'code_not_accepted', attemptsRemaining: 3 } }, en)
    expect(page).toContain('<title>Error: Check your phone</title>')
    expect(page).toContain('<a href="#code">That code is not right.</a>')
    expect(page).toContain('aria-invalid="true" aria-describedby="problem" autofocus')
    expect(page.match(/autofocus/g)).toHaveLength(1)
  })

  it('shows the end of a lock as a time of day, rounded up, and no live link before it', () => {
    const locked = (retryAfterMs: number) =>
      pageOf({ ...startView, problem: { code: 'account_locked', retryAfterMs } }, en)
    expect(locked(61_000)).toContain('at <time datetime="2025-01-01T00:02:00.000Z">00:02 UTC</time>')
    expect(locked(61_000)).toContain('<p hidden data-after-ms="61000"><a')
    expect(locked(61_000).match(/<a /g)).toHaveLength(1)
    expect(locked(20 * 3_600_000)).toMatch(
      /on <time datetime="2025-01-01T20:00:00.000Z" data-far>[^<]*\bJan\b[^<]*<\/time>/,
    )
  })

  it.each([
    [en, 1_000, 'Try again in 1 second.'],
    [en, 119 * 60_000, 'Try again in 119 minutes.'],
    [en, 2 * 3_600_000, 'Try again in 2 hours.'],
    [en, 3 * 3_600_000 + 1, 'Try again in 4 hours.'],
    [es, 86_400_000, 'Inténtalo de nuevo en 24 horas.'],
    [en, 2 * 86_400_000, 'Try again in 2 days.'],
  ])('shows a wait in usual words: %#', (language, retryAfterMs, sentence) => {
    const problem = { code: 'capacity', retryAfterMs } as const
    expect(show({ ...codeView, problem }, language)).toContain(sentence)
  })

  it('takes the length of a lock from the answer to the last wrong code', () => {
    const problem = { code: 'code_not_accepted', attemptsRemaining: 0, retryAfterMs: 15 * 60_000 } as const
    expect(show({ ...codeView, problem })).toContain('You can ask for a new one at 00:15 UTC.')
    expect(show({ ...startView, problem: { code: 'code_not_accepted', attemptsRemaining: 0 } })).toContain(
      'You can ask for a new one in a few minutes.',
    )
  })

  it('offers another number at a sign-up only', () => {
    const told = (state: string) => show(states[state] ?? codeView)
    expect(told('locked number at signup')).toContain('Use another number')
    expect(told('locked')).not.toContain('Use another number')
  })

  it('leads back to the page with the fields of its request', () => {
    const locked = (given: object) =>
      pageOf({ ...startView, problem: { code: 'account_locked' }, ...given }, en)
    expect(locked({ requirement: 'a b&c', returnTo: '/home' })).toContain(
      '<a href="/two-factor/?requirement=a+b%26c&amp;returnTo=%2Fhome">Try again</a>',
    )
    expect(locked({ requirement: undefined })).toContain('<a href="/two-factor/">')
  })

  const links = { signIn: '/sign-in', addPhone: '/phone', support: '/help', otherMethod: '/passkey' }
  it.each<[string, Partial<PageFacts>, string]>([
    ['signed out', { problem: { code: 'not_identified' } }, 'href="/sign-in?returnTo=%2Fa">Sign in<'],
    ['no number', { problem: { code: 'no_phone' } }, 'href="/phone">Add a phone number<'],
    ['disabled', { problem: { code: 'account_disabled' } }, 'href="/help">Contact support<'],
    ['another factor', { ...codeView, links }, 'href="/passkey">Confirm in another way<'],
    ['already confirmed', { proven: true }, 'href="/a">Continue<'],
    ['nothing configured', { links: {}, problem: { code: 'no_phone' } }, 'href="/">Go to the home page<'],
    [
      'a home of its own',
      { links: { home: '/b' }, problem: { code: 'no_phone' } },
      'href="/b">Go to the home',
    ],
  ])('is no dead end: %s', (_name, view, link) => {
    expect(pageOf({ ...startView, returnTo: '/a', links, ...view }, en)).toContain(link)
  })

  const everyCode = Object.keys(httpStatusOf) as ProblemCode[]
  it.each(everyCode)('has a page of its own in every language: %s', (code) => {
    for (const language of texts.values()) {
      const page = pageOf({ ...startView, isExpired: true, problem: { code, retryAfterMs: 5_000 } }, language)
      const title = language[`problem.${code}.title`]?.replaceAll("'", '&#39;')
      expect(page).toContain(`<h1>${title}</h1>`)
      expect(words(page)).not.toMatch(/\{\w+\}|undefined|\[object/)
    }
  })
})

it('no field of a page may have the name of a field from the app', () => {
  // The form that waited has those of the host.
  const forms = Object.values(states).filter(({ resumed }) => !resumed)
  const pages = forms.map((view) => pageOf({ ...view, purpose: 'login', returnTo: '/a' }, en))
  const names = pages.join('').matchAll(/<(?:input|select|button) [^>]*?name="([^"]+)"/g)
  for (const name of new Set([...names].map(([, name = '']) => name))) {
    const fieldsOf = createFormFields(() => ({ [name]: 'x' }))
    expect(() => fieldsOf({} as Request)).toThrow(`the pages already have a field "${name}"`)
  }
})

describe('every page', () => {
  const hostile = `"'><script>alert(1)</script>&amp;`

  it('escapes all values from outside', () => {
    const views: PageFacts[] = [
      { ...codeView, basePath: hostile, requirement: hostile, returnTo: hostile, purpose: hostile },
      { ...phoneView, typedPhone: hostile, countries: ['CO', 'MX'], chosenCountry: hostile },
      { ...codeView, challenge: { ...challenge, destination: hostile } },
      { ...startView, requirement: hostile, problem: { code: 'account_locked' } },
    ]
    const language = createTexts({ en: { 'code.title': hostile } }).get('en') ?? en
    for (const view of views) {
      const page = pageOf(view, language)
      expect(page).toContain('&lt;script&gt;')
      expect(page.match(/<script/g)).toHaveLength(1)
      expect(page).not.toContain(hostile)
    }
  })

  it.each(Object.entries(states))('names what is on it, and nothing without a name: %s', (_state, view) => {
    const page = pageOf(view, en)
    const all = (pattern: RegExp) => [...page.matchAll(pattern)].map(([, one = '']) => one)
    const named = all(/ (?:for|aria-\w+by)="([^"]+)"/g).flatMap((ids) => ids.split(' '))
    const ids = all(/ id="([^"]+)"/g)
    expect(ids).toEqual(expect.arrayContaining([...named, ...all(/ href="#([^"]+)"/g)]))
    expect(new Set(ids).size).toBe(ids.length)
    expect(named).toEqual(expect.arrayContaining(all(/<(?:input|select) id="([^"]+)"/g)))
    expect(page).not.toMatch(/<(a|button|h1|h2|label|title)\b[^>]*>\s*<\/\1>/)
    expect(all(/(<h1>)/g)).toHaveLength(1)
    // An app has to be set up before its code can be typed.
    const begins = /role="alert"|<input id="(?!pair)/.test(page)
    expect(all(/( autofocus)/g)).toHaveLength(begins ? 1 : 0)
  })

  it.each(Object.entries(states))('tells no wait twice, and brings nothing inline: %s', (_state, view) => {
    for (const language of texts.values()) {
      const page = pageOf(view, language)
      const problem = /role="alert".*?<\/div>/s.exec(page)?.[0] ?? ''
      const wait = /\d+ (?:second|minute|hour|segundo|minuto|hora)|\d\d:\d\d/g
      const told = [
        ...(words(`<body>${problem}`).match(wait) ?? []),
        ...(page.match(/<p data-wait-ms="\d+">/g) ?? []),
      ]
      expect(told.length).toBeLessThanOrEqual(1)
      expect(page).toContain(`<html lang="${language.lang}" dir="ltr">`)
      expect(page).not.toMatch(/<style|style="|<script>|\son\w+="|javascript:/)
    }
  })
})
