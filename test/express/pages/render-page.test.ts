import { describe, expect, it } from 'vitest'
import { httpStatusOf, type ProblemCode } from '../../../src/errors.js'
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
  })

  it.each([
    [en, 'We sent a code to ••••••67 the number ending in 6 7. It works for 10 minutes.'],
    [es, 'Enviamos un código a ••••••67 tu número terminado en 6 7. Vence en 10 minutos.'],
    [pt, 'Enviamos um código para ••••••67 o número com final 6 7. Ele vale por 10 minutos.'],
  ])('says where the code went and how long it works: $lang', (language, sentence) => {
    expect(show(codeView, language)).toContain(sentence)
  })

  it.each([
    [10 * 60_000 - 4_000, '10 minutes'],
    [10 * 60_000 - 6_000, '9 minutes'],
    [5 * 60_000, '5 minutes'],
    [60_000, '1 minute'],
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

  it.each([
    'code',
    'start',
    'start, cooling down',
    'too soon',
    'refused number',
    'unchecked',
    'code of one of several numbers',
    'expired',
  ])('leads to support and to what is done about a lost phone: %s', (state) => {
    const links = { support: '/help', lostPhone: '/lost' }
    const page = pageOf({ ...(states[state] ?? codeView), links }, en)
    expect(page).toContain('<a href="/help">Contact support</a>')
    expect(page).toContain('<a href="/lost">I don&#39;t have this phone</a>')
  })

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
    ['first wrong code', 'That code is not right. You have 4 tries left.'],
    ['second wrong code', 'That code is not right. You have 3 tries left.'],
    ['unreadable code', 'Check the code. Enter the whole code from the message.'],
    ['unreadable code of a known length', 'Enter the whole code from the message. It has 6 digits.'],
    ['unreadable code with letters', 'Enter the whole code from the message. It has 8 letters and digits.'],
    [
      'code of an app, wrong',
      'Wait until the app shows the next code and enter that one, not a code that we sent you. Check that your phone sets its time by itself. You have 4 tries left.',
    ],
    ['a new app, wrong code', 'Check that your phone sets its time by itself.'],
    ['refused number', 'We couldn&#39;t send a code to this number. Use another way, or contact support'],
    ['refused number, not yet called', 'Try a call, use another way, or contact support.'],
    ['expired, one of several numbers', 'Send a new code: the number ending in 67 Get a code another way'],
    [
      'start, a code sent elsewhere',
      'The code we sent before can&#39;t be used here. You can ask for a new one in 43 seconds.',
    ],
    ['too soon', 'A code was sent a moment ago.'],
    ['expired', 'That code no longer works. Ask for a new one.'],
    ['start, paused', 'Sorry, we can&#39;t send codes right now. Try again in 15 seconds.'],
    ['phone, refused', 'We can&#39;t send codes to this number.'],
    [
      'locked',
      'Too many wrong codes were entered You can ask for a new one at 00:15 UTC. If it wasn&#39;t you, change your password.',
    ],
    ['empty code', 'Enter the code from the message.'],
    ['empty number', 'Enter your mobile number.'],
    ['landline', 'Enter a mobile number. That doesn&#39;t look like a mobile number.'],
    [
      'foreign country',
      'We can&#39;t send codes to that country. We can send codes to these countries only: Brazil, Colombia, Mexico, and Spain.',
    ],
    ['bad length', 'Check the number. It has too few or too many digits.'],
    ['empty recovery code', 'Enter a recovery code.'],
    ['unreadable recovery code', 'Check the recovery code. It has 24 letters and digits.'],
    [
      'wrong recovery code',
      'That recovery code is not right. You may have used it already. You have 2 tries left.',
    ],
    [
      'no recovery try left',
      'You entered too many wrong recovery codes. You can try again on Jan 1, 23:00 UTC.',
    ],
    [
      'last wrong code',
      'Too many wrong codes were entered You can ask for a new one at 00:10 UTC. If it wasn&#39;t you, change your password.',
    ],
    [
      'no attempt left',
      'Too many wrong codes were entered You can ask for a new one at 00:10 UTC. If it wasn&#39;t you, change your password.',
    ],
  ])('is told in its own words: %s', (state, sentence) => {
    expect(show(states[state] ?? codeView)).toContain(sentence)
  })

  it.each([
    [es, 13, 'a las 01:05 UTC', 'a la 01:05 UTC'],
    [pt, 13, 'às 01:05 UTC', 'à 01:05 UTC'],
  ])('says one o’clock as the language does: $lang', (language, hours, wrongly, rightly) => {
    const at = now + hours * 3_600_000
    const problem = { code: 'phone_locked', retryAfterMs: 65 * 60_000 } as const
    expect(show({ ...startView, problem }, language)).toContain(rightly)
    expect(show({ ...startView, now: at, problem }, language)).toContain(wrongly.replace('01', '14'))
  })

  it('says the tries left in the right number', () => {
    const wrong = (attemptsRemaining: number, language: Texts) =>
      show({ ...codeView, problem: { code: 'code_not_accepted', attemptsRemaining } }, language)
    expect(wrong(4, en)).toContain('You have 4 tries left.')
    expect(wrong(1, en)).toContain('You have 1 try left.')
    expect(wrong(1, es)).toContain('El código no es correcto. Te queda 1 intento.')
    expect(wrong(2, pt)).toContain('O código não está correto. Restam 2 tentativas.')
  })

  it('stands on top, marks and focuses the field and changes the title', () => {
    const page = pageOf({ ...codeView, problem: { code: 'code_not_accepted', attemptsRemaining: 3 } }, en)
    expect(page).toContain('<title>Error: Check your phone</title>')
    expect(page).toMatch(/<main>\s*<div class="problem" id="problem" role="alert" tabindex="-1">/)
    expect(page).toContain('<a href="#code">That code is not right.</a>')
    expect(page).toContain('aria-invalid="true" aria-describedby="problem" autofocus')
    expect(page.match(/autofocus/g)).toHaveLength(1)
  })

  it('says when a lock ends as a time of day, rounded up, and leaves no live link before it', () => {
    const page = pageOf({ ...startView, problem: { code: 'phone_locked', retryAfterMs: 61_000 } }, en)
    expect(page).toContain('at <time datetime="2025-01-01T00:02:00.000Z">00:02 UTC</time>')
    expect(page).toContain('<p hidden data-after-ms="61000"><a')
    expect(page.match(/<a /g)).toHaveLength(1)
  })

  it.each([
    [en, 1_000, 'Sorry, we&#39;re very busy Try again in 1 second.'],
    [en, 119 * 60_000, 'Sorry, we&#39;re very busy Try again in 119 minutes.'],
    [en, 2 * 3_600_000, 'Sorry, we&#39;re very busy Try again in 2 hours.'],
    [en, 3 * 3_600_000 + 1, 'Sorry, we&#39;re very busy Try again in 4 hours.'],
    [en, 86_400_000, 'Sorry, we&#39;re very busy Try again in 24 hours.'],
    [en, 2 * 86_400_000, 'Sorry, we&#39;re very busy Try again in 2 days.'],
    [es, 60_000, 'Tenemos mucha demanda Inténtalo de nuevo en 1 minuto.'],
    [es, 86_400_000, 'Tenemos mucha demanda Inténtalo de nuevo en 24 horas.'],
    [pt, 60_000, 'Estamos com muitos acessos no momento Tente novamente em 1 minuto.'],
    [pt, 86_400_000, 'Estamos com muitos acessos no momento Tente novamente em 24 horas.'],
  ])('says a wait of seconds and of a day as people do: %#', (language, retryAfterMs, sentence) => {
    const problem = { code: 'capacity', retryAfterMs } as const
    expect(show({ ...codeView, problem }, language)).toContain(sentence)
  })

  it('names the day of a lock that ends tomorrow', () => {
    const problem = { code: 'phone_locked', retryAfterMs: 20 * 3_600_000 } as const
    const page = pageOf({ ...startView, problem }, en)
    expect(page).toMatch(/on <time datetime="2025-01-01T20:00:00.000Z" data-far>[^<]*\bJan\b[^<]*<\/time>/)
  })

  it('takes the length of a lock from the answer to the last wrong code', () => {
    const problem = { code: 'code_not_accepted', attemptsRemaining: 0, retryAfterMs: 15 * 60_000 } as const
    expect(show({ ...codeView, problem })).toContain('You can ask for a new one at 00:15 UTC.')
    expect(show({ ...startView, problem: { code: 'code_not_accepted', attemptsRemaining: 0 } })).toContain(
      'You can ask for a new one in a few minutes.',
    )
  })

  it('leads back to the page, requirement included, only where that may help', () => {
    const locked = pageOf(
      { ...startView, requirement: 'a b&c', returnTo: '/home', problem: { code: 'phone_locked' } },
      en,
    )
    expect(locked).toContain('<a href="/two-factor/?requirement=a+b%26c&amp;returnTo=%2Fhome">Try again</a>')
    const { requirement: _, ...plain } = startView
    const purposeAlone = pageOf({ ...plain, purpose: 'login', problem: { code: 'phone_locked' } }, en)
    expect(purposeAlone).toContain('<a href="/two-factor/?purpose=login">')
    expect(pageOf({ ...plain, problem: { code: 'phone_locked' } }, en)).toContain('<a href="/two-factor/">')
  })

  const links = { signIn: '/sign-in', addPhone: '/phone', support: '/help', otherMethod: '/passkey' }
  it.each<[string, Partial<PageFacts>, string]>([
    [
      'signed out',
      { problem: { code: 'not_identified' } },
      '<a class="button main" href="/sign-in?returnTo=%2Fa">Sign in</a>',
    ],
    ['no number', { problem: { code: 'no_phone' } }, '<a href="/phone">Add a phone number</a>'],
    ['disabled', { problem: { code: 'phone_disabled' } }, '<a href="/help">Contact support</a>'],
    ['another factor', { ...codeView, links }, '<a href="/passkey">Confirm in another way</a>'],
    ['already confirmed', { proven: true }, 'href="/a">Continue</a>'],
    [
      'nothing configured',
      { links: {}, problem: { code: 'no_phone' } },
      '<a href="/">Go to the home page</a>',
    ],
    [
      'a home of its own',
      { links: { home: '/start' }, problem: { code: 'send_refused' } },
      '<a href="/start">Go to the home page</a>',
    ],
  ])('is no dead end: %s', (_name, view, link) => {
    expect(pageOf({ ...startView, returnTo: '/a', links, ...view }, en)).toContain(link)
  })

  const everyCode = Object.keys(httpStatusOf) as ProblemCode[]
  it.each(everyCode)('has a page of its own in every language: %s', (code) => {
    for (const language of texts.values()) {
      const page = pageOf({ ...startView, spent: true, problem: { code, retryAfterMs: 5_000 } }, language)
      const title = language[`problem.${code}.title`]?.replaceAll("'", '&#39;')
      expect(page).toContain(`<h1>${title}</h1>`)
      expect(words(page)).not.toMatch(/\{\w+\}|undefined|\[object/)
    }
  })
})

describe('every page', () => {
  const hostile = `"'><script>alert(1)</script>&amp;`

  it('escapes whatever comes from outside', () => {
    const views: PageFacts[] = [
      { ...codeView, basePath: hostile, requirement: hostile, returnTo: hostile, purpose: hostile },
      { ...phoneView, typedPhone: hostile, countries: ['CO', 'MX'], chosenCountry: hostile },
      { ...codeView, challenge: { ...challenge, destination: hostile } },
      { ...startView, requirement: hostile, problem: { code: 'phone_locked' } },
    ]
    const language = createTexts({ en: { 'code.title': hostile } }).get('en') ?? en
    for (const view of views) {
      const page = pageOf(view, language)
      expect(page).toContain('&lt;script&gt;')
      expect(page.match(/<script/g)).toHaveLength(1)
      expect(page).not.toContain(hostile)
    }
  })

  it.each(Object.entries(states))('tells no wait twice: %s', (_state, view) => {
    for (const language of texts.values()) {
      const page = pageOf(view, language)
      const problem = /role="alert".*?<\/div>/s.exec(page)?.[0] ?? ''
      const told =
        words(`<body>${problem}`).match(/\d+ (?:second|minute|hour|segundo|minuto|hora)|\d\d:\d\d/g) ?? []
      const beside = page.match(/<p data-wait-ms="\d+">/g) ?? []
      expect(told.length + beside.length).toBeLessThanOrEqual(1)
    }
  })

  it.each(Object.entries(states))('names its language and brings nothing inline: %s', (_state, view) => {
    const page = pageOf(view, es)
    expect(page).toContain('<html lang="es" dir="ltr">')
    expect(page).not.toMatch(/<style|style="|<script>|\son\w+="|javascript:/)
  })
})
