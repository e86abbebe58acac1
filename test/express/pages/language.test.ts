import { describe, expect, it } from 'vitest'
import { httpStatusOf } from '../../../src/errors.js'
import { createTexts, directionOf, negotiateLocale } from '../../../src/express/pages/language.js'
import { en, englishTexts, type Texts } from '../../../src/express/pages/messages/en.js'
import { byMethod, triesLeft } from '../../../src/express/pages/wording.js'
import { plainText } from '../../../src/lib/html.js'
import { arabic } from './arabic.js'

describe('negotiateLocale', () => {
  it.each([
    ['', 'en'],
    ['es', 'es'],
    ['es-CO,es;q=0.9,en;q=0.8', 'es'],
    // Express itself would choose English here.
    ['es-CO, en', 'es'],
    ['ES-419', 'es'],
    ['zh-Hant-TW, pt-BR;q=0.5', 'pt'],
    ['en;q=0.2, pt;q=0.7', 'pt'],
    ['es;q=0, pt', 'pt'],
    ['fr, *;q=0.5', 'en'],
    ['*, es', 'en'],
    ['fr', 'en'],
    ['es;q=nonsense, pt;q=0.1', 'pt'],
    [',;q=,-,--es', 'en'],
    ['-'.repeat(5_000), 'en'],
  ])('takes for %j the locale %s', (header, locale) => {
    expect(negotiateLocale(header, ['en', 'es', 'pt'])).toBe(locale)
  })

  it('is English when nothing is offered', () => {
    expect(negotiateLocale('es', [])).toBe('en')
  })

  it('keeps the spelling of what was offered', () => {
    expect(negotiateLocale('pt-br', ['en', 'pt-BR'])).toBe('pt-BR')
  })
})

describe('the name of a method', () => {
  const methods = [{ name: 'whatsapp', label: 'WhatsApp' }, { name: 'pigeon' }]

  it('is its label, unless the host has another in this language', () => {
    const texts = createTexts(
      { es: { 'method.pigeon': 'paloma' }, fr: { ...englishTexts, lang: 'fr' } },
      methods,
    )
    const said = (locale: string, method: string) =>
      plainText(byMethod('start', method, texts.get(locale) as Texts))
    expect(said('en', 'whatsapp')).toBe('Send a code by WhatsApp')
    expect(said('pt', 'whatsapp')).toBe('Receber o código por WhatsApp')
    expect(said('en', 'pigeon')).toBe('Send a code by pigeon')
    expect(said('es', 'pigeon')).toBe('Recibir el código por paloma')
    expect(said('fr', 'whatsapp')).toBe('Send a code by WhatsApp')
    expect(said('en', 'sms')).toBe('Send a code')
    // Reported by a provider that does not declare it.
    expect(said('en', 'rcs')).toBe('Send a code by rcs')
  })

  it('is refused for a method that is none', () => {
    expect(() => createTexts({ es: { 'method.whatsap': 'WA' } }, methods)).toThrow(
      'twoFactor: pages.messages.es: unknown key "method.whatsap" (keys look like "code.title"); did you mean "method.whatsapp"?',
    )
  })
})

describe('createTexts', () => {
  const texts = createTexts({})

  it('takes an undefined text for none', () => {
    expect(createTexts({ es: { 'code.title': undefined } as never }).get('es')).toEqual(texts.get('es'))
  })

  it('offers English first, then Spanish and Portuguese', () => {
    expect([...texts.keys()]).toEqual(['en', 'es', 'pt'])
  })

  it.each([...texts])('has a title and a text for every problem code in %s', (_locale, language) => {
    for (const code of Object.keys(httpStatusOf)) expect(language).toHaveProperty([`problem.${code}.title`])
  })

  it.each([...texts])('fills the same places in %s as in English', (_locale, language) => {
    const places = (text: string) => text.match(/\{\w+\}/g)?.sort()
    for (const [key, text] of Object.entries(texts.get('en') ?? {})) {
      expect([key, places(String(language[key as keyof typeof language]))]).toEqual([key, places(text)])
    }
  })

  it.each([...texts])('tells a time once in each text of %s', (_locale, language) => {
    for (const [key, text] of Object.entries(language)) {
      const times = text.match(/\{(?:t|time|clock)\}/g) ?? []
      expect([key, times.length <= 1]).toEqual([key, true])
    }
  })

  it('lays one own text over the built-in ones', () => {
    const own = createTexts({ es: { 'code.title': 'Mira tu celular' } }).get('es')
    expect(own?.['code.title']).toBe('Mira tu celular')
    expect(own?.['code.submit']).toBe('Continuar')
  })

  it('takes a language of the host, which may begin with the English texts', () => {
    const fr = { ...englishTexts, lang: 'fr', 'code.title': 'Consultez votre téléphone' }
    expect(createTexts({ fr }).get('fr')).toEqual(fr)
  })

  it('lays the texts of a variety over those of its language, in whichever order they are given', () => {
    const label = (messages: Parameters<typeof createTexts>[0], locale: string) =>
      createTexts(messages).get(locale)?.['phone.label']
    const es = { 'phone.label': 'Tu número' }
    const fr = { ...englishTexts, lang: 'fr', 'phone.label': 'Votre numéro' }
    expect(label({ 'ES-es': { 'phone.label': 'Tu móvil' }, es }, 'ES-es')).toBe('Tu móvil')
    expect(label({ es, 'es-MX': {} }, 'es-MX')).toBe('Tu número')
    expect(label({ 'fr-CA': {}, fr }, 'fr-CA')).toBe('Votre numéro')
  })

  it.each([
    ['ar', 1, 'بقيت لك محاولة واحدة.'],
    ['ar', 2, 'بقيت لك محاولتان.'],
    ['ar', 4, 'بقيت لك 4 محاولات.'],
    ['ar', 11, 'بقيت لك 11 محاولة.'],
    ['es', 4, 'Te quedan 4 intentos.'],
  ])('counts as its people do: %s %i', (locale, count, sentence) => {
    const all = createTexts({ ar: arabic })
    expect(plainText(triesLeft(count, all.get(locale) as Texts))).toBe(sentence)
  })

  it('asks for the plural forms that a language has, and for no others', () => {
    const pl = {
      ...englishTexts,
      lang: 'pl',
      'code.triesLeft.one': '{n} próba',
      'code.triesLeft.other': '{n} próby',
    }
    const forms = { 'code.triesLeft.few': '{n} próby', 'code.triesLeft.many': '{n} prób' }
    expect(() => createTexts({ pl })).toThrow(
      'pl lacks code.triesLeft.few, code.triesLeft.many: translate them',
    )
    const whole = createTexts({ pl: { ...pl, ...forms } }).get('pl') as Texts
    expect([1, 3, 5].map((count) => plainText(triesLeft(count, whole)))).toEqual([
      '1 próba',
      '3 próby',
      '5 prób',
    ])
    const { 'code.triesLeft.one': _, ...ja } = {
      ...englishTexts,
      lang: 'ja',
      'code.triesLeft.other': '残り{n}回',
    }
    expect(plainText(triesLeft(1, createTexts({ ja }).get('ja') as Texts))).toBe('残り1回')
    expect(() => createTexts({ pl: { ...pl, ...forms, 'code.triesLeft.few': '{m}' } })).toThrow(
      'unknown placeholder {m} in "code.triesLeft.few"',
    )
    // What stays English asks for nothing.
    expect(createTexts({ pl: { ...englishTexts, lang: 'pl' } }).has('pl')).toBe(true)
  })

  it.each([
    ['ar', 'rtl'],
    ['he', 'rtl'],
    ['ckb', 'rtl'],
    ['ug-CN', 'rtl'],
    ['dv', 'rtl'],
    ['az-Arab', 'rtl'],
    ['az', 'ltr'],
    ['arn', 'ltr'],
    ['pt-BR', 'ltr'],
  ])('runs %s %s', (lang, direction) => {
    expect(directionOf({ ...en, lang })).toBe(direction)
  })

  it('falls back from a variety of a language to that language', () => {
    const own = createTexts({ 'es-MX': { 'code.title': 'Mira tu celular' } }).get('es-MX')
    expect(own?.lang).toBe('es-MX')
    expect(own?.['code.submit']).toBe('Continuar')
  })

  it.each<[string, Record<string, string>, string]>([
    ['a misspelt one', { 'sent.sms': 'Sent to {phome}.' }, '{phome} in "sent.sms"; did you mean {phone}?'],
    ['one of another text', { 'sent.sms': '{digits}' }, '{digits} in "sent.sms"; expected: {phone}, {t}'],
    ['one where nothing is filled in', { 'code.title': 'In {t}' }, '{t} in "code.title"; this text has none'],
    [
      'one that no problem tells',
      { 'problem.send_limit.text': '{n}' },
      '{n} in "problem.send_limit.text"; expected: {t}, {time}, {countries}',
    ],
  ])('refuses %s among the placeholders, at start-up and by name', (_what, own, refusal) => {
    expect(() => createTexts({ es: own })).toThrow(
      expect.objectContaining({
        name: 'TypeError',
        code: 'ERR_TWO_FACTOR_OPTION',
        message: `twoFactor: pages.messages.es: unknown placeholder ${refusal}`,
      }),
    )
  })

  it('takes every value that a problem tells, in the text of any problem', () => {
    const text = '{t} {time} {countries}'
    const own = createTexts({ en: { 'problem.capacity.text': text, 'phone.length.text': text } }).get('en')
    expect(own?.['problem.capacity.text']).toBe(text)
  })

  it('refuses a further language that lacks texts, with the line to write', () => {
    const { 'code.title': _title, 'done.text': _text, 'code.empty.text': _empty, ...most } = englishTexts
    const told = 'to keep them in English'
    expect(() => createTexts({ fr: { ...most, lang: 'fr', 'phone.label': undefined } as never })).toThrow(
      expect.objectContaining({
        code: 'ERR_TWO_FACTOR_OPTION',
        message: `twoFactor: pages.messages.fr lacks code.title, done.text, phone.label: translate them, or write { ...englishTexts, lang: 'fr', … } ${told}`,
      }),
    )
    expect(() => createTexts({ fr: {} })).toThrow(
      /^twoFactor: pages\.messages\.fr lacks error, code\.title, .* and \d+ more: /,
    )
    expect(() => createTexts({ 'fr-CA': { ...englishTexts, lang: 'fr' }, fr: {} })).toThrow(
      'messages.fr lacks',
    )
    expect(() => createTexts({ 'es-MX': {}, pt: {} })).not.toThrow()
  })

  it.each([
    ['fr', englishTexts, 'en', 'fr'],
    ['es-MX', { lang: 'pt-BR' }, 'pt-BR', 'es-MX'],
  ])('refuses for %s the tag of another language', (locale, own, lang, right) => {
    expect(() => createTexts({ [locale]: own })).toThrow(
      `twoFactor: pages.messages.${locale}: lang "${lang}" is another language; write lang: '${right}'`,
    )
    expect(() => createTexts({ [locale]: { ...own, lang: right } })).not.toThrow()
  })

  it('exports its English texts so that nobody can change them', () => {
    expect(englishTexts).toEqual(texts.get('en'))
    expect(Object.isFrozen(englishTexts)).toBe(true)
  })

  it('refuses an unknown key and an invalid language tag, by name', () => {
    const misspelt = { es: { 'code.tittle': '' } } as Parameters<typeof createTexts>[0]
    expect(() => createTexts(misspelt)).toThrow(
      'pages.messages.es: unknown key "code.tittle" (keys look like "code.title"); did you mean "code.title"?',
    )
    const unheardOf = { es: { farewell: '' } } as Parameters<typeof createTexts>[0]
    expect(() => createTexts(unheardOf)).toThrow(/unknown key "farewell" \(keys look like "code\.title"\)$/)
    expect(() => createTexts({ 'spanish!': {} })).toThrow('messages: "spanish!" is not a valid language tag')
  })
})
