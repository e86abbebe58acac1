import { describe, expect, it } from 'vitest'
import {
  createLanguageOf,
  createTexts,
  directionOf,
  negotiateLocale,
} from '../../../src/express/pages/language.js'
import { en, englishTexts, type Texts } from '../../../src/express/pages/messages/en.js'
import { byMethod, triesLeft } from '../../../src/express/pages/wording.js'
import { plainText } from '../../../src/lib/html.js'
import { arabic } from './arabic.js'

type Messages = Parameters<typeof createTexts>[0]

const texts = createTexts({})

describe('a browser is answered in the language that it likes best', () => {
  it.each([
    ['', 'en'],
    // Express itself would choose English here.
    ['es-CO, en', 'es'],
    ['ES-419', 'es'],
    ['zh-Hant-TW, pt-BR;q=0.5', 'pt'],
    ['en;q=0.2, pt;q=0.7', 'pt'],
    ['es;q=0, pt', 'pt'],
    ['fr, *;q=0.5', 'en'],
    ['es;q=nonsense, pt;q=0.1', 'pt'],
    ['-'.repeat(5_000), 'en'],
  ])('%j: %s', (header, locale) => {
    expect(negotiateLocale(header, [...texts.keys()])).toBe(locale)
  })

  it('and by the tag in the spelling of the host', () => {
    expect(negotiateLocale('pt-br', ['en', 'pt-BR'])).toBe('pt-BR')
  })
})

describe('the name of a method', () => {
  const methods = [{ name: 'whatsapp', label: 'WhatsApp' }, { name: 'pigeon' }]

  it('is its label, unless the host has another in this language', () => {
    const own = createTexts({ es: { 'method.pigeon': 'paloma' } }, methods)
    const said = (locale: string, method: string) =>
      plainText(byMethod('start', method, own.get(locale) as Texts))
    expect(said('en', 'whatsapp')).toBe('Send a code by WhatsApp')
    expect(said('en', 'pigeon')).toBe('Send a code by pigeon')
    expect(said('es', 'pigeon')).toBe('Recibir el código por paloma')
    expect(said('en', 'sms')).toBe('Send a code')
    // Reported by a provider that does not declare it.
    expect(said('en', 'rcs')).toBe('Send a code by rcs')
  })

  it('is refused for a method that is none', () => {
    expect(() => createTexts({ es: { 'method.whatsap': 'WA' } }, methods)).toThrow(
      'unknown key "method.whatsap" (keys look like "code.title"); did you mean "method.whatsapp"?',
    )
  })
})

describe('the built-in texts', () => {
  it.each([...texts])(
    'have equal placeholders in %s and English, and show a time once',
    (_locale, language) => {
      const places = (text: string) => text.match(/\{\w+\}/g)?.sort()
      for (const [key, text] of Object.entries(en)) {
        const own = String(language[key as keyof typeof language])
        expect([key, places(own)]).toEqual([key, places(text)])
        expect([key, (own.match(/\{(?:t|time|clock)\}/g) ?? []).length <= 1]).toEqual([key, true])
      }
    },
  )

  it('cannot be changed by an app that starts with the English ones', () => {
    expect(englishTexts).toEqual(texts.get('en'))
    expect(Object.isFrozen(englishTexts)).toBe(true)
  })
})

describe('texts of the host', () => {
  it('extend the texts of their language, and may start with them', () => {
    const own = createTexts({ es: { 'code.title': 'Mira tu celular', 'code.label': undefined } as never })
    expect(own.get('es')).toEqual({ ...texts.get('es'), 'code.title': 'Mira tu celular' })
    const fr = { ...englishTexts, lang: 'fr', 'code.title': 'Consultez votre téléphone' }
    expect(createTexts({ fr }).get('fr')).toEqual(fr)
  })

  it('of a variety extend the texts of its language, in any order', () => {
    const label = (messages: Messages, locale: string) => createTexts(messages).get(locale)?.['phone.label']
    const es = { 'phone.label': 'Tu número' }
    const fr = { ...englishTexts, lang: 'fr', 'phone.label': 'Votre numéro' }
    expect(label({ 'ES-es': { 'phone.label': 'Tu móvil' }, es }, 'ES-es')).toBe('Tu móvil')
    expect(label({ es, 'es-MX': {} }, 'es-MX')).toBe('Tu número')
    expect(label({ 'fr-CA': {}, fr }, 'fr-CA')).toBe('Votre numéro')
    expect(createTexts({ 'es-MX': {} }).get('es-MX')).toEqual({ ...texts.get('es'), lang: 'es-MX' })
  })

  it('may use every value of a problem, in the text of any problem', () => {
    const text = '{t} {time} {countries}'
    const own = createTexts({ en: { 'problem.capacity.text': text, 'phone.length.text': text } }).get('en')
    expect(own?.['problem.capacity.text']).toBe(text)
  })

  it.each<[string, Record<string, string>, string]>([
    ['a misspelt one', { 'sent.sms': 'Sent to {phome}.' }, '{phome} in "sent.sms"; did you mean {phone}?'],
    ['one of another text', { 'sent.sms': '{digits}' }, '{digits} in "sent.sms"; expected: {phone}, {t}'],
    ['one where nothing is filled in', { 'code.title': 'In {t}' }, '{t} in "code.title"; this text has none'],
  ])('are refused with %s among the placeholders, at start-up and by name', (_what, own, refusal) => {
    const message = `twoFactor: pages.messages.es: unknown placeholder ${refusal}`
    expect(() => createTexts({ es: own })).toThrow(
      expect.objectContaining({ name: 'TypeError', code: 'ERR_TWO_FACTOR_OPTION', message }),
    )
  })

  it.each<[string, Record<string, Partial<Texts>>, string | RegExp]>([
    ['a misspelt key', { es: { 'code.tittle': '' } as never }, 'did you mean "code.title"?'],
    [
      'a key unheard of',
      { es: { farewell: '' } as never },
      /unknown key "farewell" \(keys look like "code\.title"\)$/,
    ],
    ['no language tag', { 'spanish!': {} }, '"spanish!" is not a valid language tag'],
    [
      'the tag of another language',
      { fr: englishTexts },
      'lang "en" is another language; write lang: \'fr\'',
    ],
    ['that of another variety', { 'es-MX': { lang: 'pt-BR' } }, "write lang: 'es-MX'"],
  ])('are refused with %s', (_what, messages, refusal) => {
    expect(() => createTexts(messages as Messages)).toThrow(refusal)
  })

  it('are refused where the language of all pages has none', () => {
    const inAll = (locale: string) => () => createLanguageOf({ locale, messages: {}, methods: [] })
    expect(inAll('fr')).toThrow(
      'pages.locale "fr" is not available; add pages.messages for it or use one of en, es, pt',
    )
    expect(inAll('pt')).not.toThrow()
  })

  it('are refused where a further language lacks some, with the line to write', () => {
    const { 'code.title': _title, 'done.text': _text, 'code.empty.text': _empty, ...most } = englishTexts
    expect(() => createTexts({ fr: { ...most, lang: 'fr', 'phone.label': undefined } as never })).toThrow(
      "pages.messages.fr lacks code.title, done.text, phone.label: translate them, or write { ...englishTexts, lang: 'fr', … } to keep them in English",
    )
    expect(() => createTexts({ fr: {} })).toThrow(/messages\.fr lacks error, code\.title, .* and \d+ more: /)
    expect(() => createTexts({ 'fr-CA': { ...englishTexts, lang: 'fr' }, fr: {} })).toThrow('fr lacks')
  })
})

describe('a count', () => {
  it.each([
    ['ar', 1, 'بقيت لك محاولة واحدة.'],
    ['ar', 2, 'بقيت لك محاولتان.'],
    ['ar', 4, 'بقيت لك 4 محاولات.'],
    ['ar', 11, 'بقيت لك 11 محاولة.'],
    ['es', 1, 'Te queda 1 intento.'],
  ])('has the usual form of the language: %s %i', (locale, count, sentence) => {
    const all = createTexts({ ar: arabic })
    expect(plainText(triesLeft(count, all.get(locale) as Texts))).toBe(sentence)
  })

  const pl = { ...englishTexts, lang: 'pl', 'code.triesLeft.other': '{n} próby' }
  const forms = { 'code.triesLeft.few': '{n} próby', 'code.triesLeft.many': '{n} prób' }

  it('has the forms that its language has, and no others', () => {
    expect(() => createTexts({ pl })).toThrow('pl lacks code.triesLeft.few, code.triesLeft.many: translate')
    expect(() => createTexts({ pl: { ...pl, ...forms, 'code.triesLeft.few': '{m}' } })).toThrow(
      'unknown placeholder {m} in "code.triesLeft.few"',
    )
    const whole = createTexts({ pl: { ...pl, ...forms } }).get('pl') as Texts
    expect(plainText(triesLeft(5, whole))).toBe('5 prób')
    const { 'code.triesLeft.one': _, ...ja } = {
      ...englishTexts,
      lang: 'ja',
      'code.triesLeft.other': '残り{n}回',
    }
    expect(plainText(triesLeft(1, createTexts({ ja }).get('ja') as Texts))).toBe('残り1回')
    // What stays English asks for nothing.
    expect(createTexts({ pl: { ...englishTexts, lang: 'pl' } }).has('pl')).toBe(true)
  })
})

it.each([
  ['ar', 'rtl'],
  ['ug-CN', 'rtl'],
  ['dv', 'rtl'],
  ['az-Arab', 'rtl'],
  ['az', 'ltr'],
  ['arn', 'ltr'],
])('a language runs as it is written: %s %s', (lang, direction) => {
  expect(directionOf({ ...en, lang })).toBe(direction)
})
