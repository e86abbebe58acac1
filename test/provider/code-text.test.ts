import { describe, expect, it } from 'vitest'
import type { CodeSend, Details } from '../../src/challenge/exchange/code-provider.js'
import { textLength } from '../../src/lib/text-length.js'
import { type OwnCodesOptions, ownCodes } from '../../src/provider/index.js'
import { order } from './recorder.js'

const secret = 'a secret of thirty-two bytes or more'
const own = (options: Partial<OwnCodesOptions>, sent: string[] = []) =>
  ownCodes({ client: { sendSms: async ({ sms }) => sent.push(sms) }, secret, ...options })

/** The text as it goes out, with zeros for the code. */
async function textOf(options: Partial<OwnCodesOptions>, send: Partial<CodeSend>): Promise<string> {
  const sent: string[] = []
  await own(options, sent).sendCode({ ...order, ...send })
  return (sent[0] ?? 'nothing').replaceAll(/\d{6}/g, '000000')
}

/** What the text says between code and lifetime. */
async function toldOf(details: Details, options: Partial<OwnCodesOptions> = {}): Promise<string | undefined> {
  const text = await textOf(options, { details })
  expect(textLength(text).parts).toBeLessThanOrEqual(options.maxParts ?? 2)
  return /code\. (?:(.*)\. )?It expires in 10 minutes\./.exec(text)?.[1]
}

const transfers: readonly (readonly [locale: string, details: Details])[] = [
  ['en', detailsOf('Transfer', 'Amount $250.00', 'To Sofia Vega', 'Account 0042 7716')],
  ['es', detailsOf('Pago', 'Monto $250.000', 'Para Ana Peña', 'Cuenta 0042 7716')],
  ['pt', detailsOf('Pix', 'Valor R$ 250,00', 'Para José Reis', 'Conta 0042 7716')],
]

function detailsOf(title: string, ...rows: string[]): Details {
  return { title, rows: rows.map((row) => [row.split(' ')[0] ?? '', row.replace(/^\S+ /, '')] as const) }
}

it.each(transfers)(
  'our own words fit one message of GSM-7, with usual additions of an app: %s',
  async (locale, details) => {
    const text = await textOf({ origin: 'app.example.com' }, { locale, details })
    expect(textLength(text)).toMatchObject({ limit: 160, parts: 1 })
  },
)

describe('details that are too long', () => {
  const long = 'x'.repeat(30)
  const rows: Details['rows'] = [
    ['From', long],
    ['Reference', long],
    ['To', `Ana ${long}`],
    ['Note', long],
    ['Amount', '100 EUR'],
  ]

  it('lose rows first, and never the amount and the payee', async () => {
    const payee = `To Ana ${'x'.repeat(23)}...`
    expect(await toldOf({ title: 'Transfer', rows })).toBe(
      `Transfer: From ${long}, Reference ${long}, ${payee}, Note ${long}, Amount 100 EUR`,
    )
    const more = [...['One', 'Two', 'Six'].map((label) => [label, long] as const), ...rows]
    expect(await toldOf({ title: 'Transfer', rows: more })).toBe(
      `Transfer: One ${long}, Two ${long}, Six ${long}, From ${long}, Reference ${long}, ${payee}, ..., Amount 100 EUR`,
    )
    expect(await toldOf({ title: 'Transfer', rows }, { maxParts: 1 })).toBe(
      `Transfer: From ${long}, ..., ${payee}, ..., Amount 100 EUR`,
    )
  })

  it.each([
    ['Importe total', 'Beneficiario'],
    ['MONTO', 'Favorecido'],
    ['Preço', 'Destinatário'],
  ])('are known by labels in our languages: %s, %s', async (amount, payee) => {
    const others = Array.from({ length: 10 }, (_, index) => [`Row ${index}`, long] as const)
    const told = await toldOf({ rows: [...others, [payee, 'Ana'], [amount, '100']] })
    expect(told).toMatch(new RegExp(`\\.\\.\\., ${payee} Ana, ${amount} 100$`))
  })

  it('keep the first rows if no label is known, for any value of a visitor', async () => {
    const others = Array.from({ length: 10 }, (_, index) => [`Row ${index}`, `Amount To ${long}`] as const)
    expect(await toldOf({ rows: others }, { maxParts: 1 })).toMatch(
      /^Row 0 Amount .*, Row 1 Amount .*, \.\.\.$/,
    )
  })

  it('are cut at last, the amount after all others', async () => {
    const foreign = 'ж'.repeat(60)
    const amount = ['Сумма', '1 500 000,00 EUR'] as const
    const title = foreign
    const payee = ['Кому', foreign] as const
    const details = { title, rows: [amount, payee] }
    expect(await toldOf(details)).toMatch(/^ж+\.\.\.: Сумма 1 500 000,00 EUR, Кому ж+\.\.\.$/)
    const origin = 'accounts.example.com'
    expect(await toldOf(details, { origin })).toMatch(/^Сумма 1 500 000,00 EUR, Кому жжжжжжжжж\.\.\.$/)
    expect(await toldOf(details, { origin: `a-long-name.${origin}` })).toBe('Сумма 1 500 000,00 EUR, ...')
    expect(await toldOf(details, { origin, maxParts: 1 })).toBeUndefined()
  })

  it('are shortened for the words of the host as well, which are asked for again', async () => {
    const text: OwnCodesOptions['text'] = ({ code, details }) =>
      `${code}: ${details?.rows.map((row) => row.join(' ')).join(', ')}`
    const told = await textOf({ text, maxParts: 1 }, { details: { title: 'Transfer', rows } })
    expect(told).toBe(
      `000000: From ${long}, Reference ${long}, To Ana ${'x'.repeat(23)}..., ... , Amount 100 EUR`,
    )
  })
})

describe('the self-test of a text', () => {
  const findings = (options: Partial<OwnCodesOptions>, appName = 'Acme') =>
    own(options).inspect?.({ appNames: { login: appName, pay: appName }, locales: ['en', 'es', 'pt'] })

  it('accepts our texts, and a text that the app allows in two parts', async () => {
    expect(await findings({ origin: 'app.example.com', length: 10 })).toEqual([])
    const text: OwnCodesOptions['text'] = ({ code }) => `${code} ${'x'.repeat(200)}`
    expect(await findings({ text, maxParts: 2 })).toEqual([])
    expect(await findings({}, 'Café São João, a delicatessen of some renown')).toHaveLength(3)
  })

  it('reports the messages of a text with the reason, and texts that cannot be sent', async () => {
    const texts: Readonly<Record<string, string>> = { en: `código ${'x'.repeat(60)}`, es: 'x'.repeat(154) }
    const text: OwnCodesOptions['text'] = ({ code, locale }) =>
      locale === 'pt' ? 'Olá' : `${code} ${texts[locale]}`
    const fix = 'shorten it, or accept it with maxParts: 2'
    expect(await findings({ text, length: 8 })).toEqual([
      {
        code: 'text_in_parts',
        message:
          'The text of Acme in "en" is billed as 2 messages: it has 76 characters, 70 fit one, because "ó" is not in the GSM alphabet.',
        fix,
      },
      {
        code: 'text_in_parts',
        message: 'The text of Acme in "es" is billed as 2 messages: it has 163 characters, 160 fit one.',
        fix,
      },
      {
        code: 'text_unfit',
        message:
          'The text of Acme in "pt" cannot be sent: it is too long, or the option text throws or omits the code.',
        fix: 'shorten appName or origin, or correct the option text',
      },
    ])
  })
})
