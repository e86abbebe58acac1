import type { Request } from 'express'
import * as z from 'zod'
import type { Channel } from '../challenge/code-provider.js'
import type { BeforeSend } from '../challenge/commands.js'
import type { Emit } from '../events.js'
import type { OnVerified, PhoneOf } from '../express/flows/sign-in.js'
import type { SessionAdapter } from '../express/host/session.js'
import type { SubjectOf } from '../express/host/subject.js'
import type { Messages } from '../express/pages/messages/texts.js'
import type { LocaleOf, Render } from '../express/pages/page-renderer.js'
import { countryCodes, phoneCountries } from '../lib/countries.js'
import type { ProviderClient } from '../provider/client.js'
import type { Voice } from '../provider/parameters.js'
import type { Store } from '../store/store.js'

const day = 24 * 60 * 60_000

/** Every voice of the type, and nothing else compiles. */
const voices: Readonly<Record<Voice, true>> = {
  Mariana: true,
  Marian: true,
  Penelope: true,
  Conchita: true,
  Mia: true,
  Lucia: true,
  Enrique: true,
  Miguel: true,
}

const text = (fix: string) => z.string({ error: fix }).min(1, { error: fix })
const texts = (fix: string) => z.array(text(fix), { error: fix })
const fn = <T>(fix: string) => z.custom<T>((value) => typeof value === 'function', { error: fix })
const withMethods = <T>(names: readonly string[], fix: string) => {
  const has = (value: unknown) => names.every((name) => typeof Object(value)[name] === 'function')
  return z.custom<T>(has, { error: fix })
}
const whole = (least: number, most: number, fix: string) =>
  z.int({ error: fix }).min(least, { error: fix }).max(most, { error: fix })

const ms = whole(1, Number.MAX_SAFE_INTEGER, 'must be a whole number of milliseconds, 1 or more')
/** Node's timers hold 31 bits and fire at once beyond them. */
const timeoutMs = whole(1, 2 ** 31 - 1, 'must be a whole number of milliseconds, 1 to 2147483647')
const count = whole(0, Number.MAX_SAFE_INTEGER, 'must be a whole number, 0 or more')
const atLeastOne = whole(1, Number.MAX_SAFE_INTEGER, 'must be a whole number, 1 or more')
const countOrOff = z.union([count, z.literal(false)], {
  error: 'must be a whole number, 0 or more, or false',
})

const channelsFix = "must be a list of 'sms' and 'call', the preferred one first"
const channels = z
  .array(z.enum(['sms', 'call'], { error: channelsFix }), { error: channelsFix })
  .min(1, { error: channelsFix })
  .refine((list) => new Set(list).size === list.length, { error: channelsFix })
  .transform((list): readonly Channel[] => list)

const countryFix = "must be ISO 3166 codes in capitals of countries with phone numbers, such as 'CO' or 'GB'"
const country = z
  .string({ error: countryFix })
  .refine((code) => phoneCountries.has(code), { error: countryFix })

const countryCodeFix = "must be the ISO 3166 code in capitals of a country with phone numbers, such as 'CO'"

const secretFix = 'must have 32 bytes or more: make one with `openssl rand -base64 48`'
const secret = text(secretFix).refine((value) => Buffer.byteLength(value) >= 32, { error: secretFix })
const secrets = z.tuple([secret], secret, { error: secretFix })

const appNameFix = 'must be the app-name at the provider, or one per purpose with `login` among them'
const statusFix =
  'must list what your account answers to a right code: `npx express-two-factor calibrate` finds it out'
const originFix = 'must be origins such as https://app.example.com, without a path'

export const limitsSchema = z
  .strictObject(
    {
      profile: z.literal('psd2', { error: "must be 'psd2'" }),
      attemptsPerChallenge: whole(1, 10, 'must be a whole number, 1 to 10'),
      failuresBeforeLock: atLeastOne,
      lockMs: ms,
      failuresBeforeDisable: atLeastOne,
      failuresPerSubjectPerDay: atLeastOne,
      codeLifetimeMs: ms,
      cooldownMs: z
        .array(whole(0, Number.MAX_SAFE_INTEGER, 'must hold whole numbers of milliseconds, 0 or more'), {
          error: 'must be a list of pauses in milliseconds',
        })
        .min(1, {
          error: 'must hold one pause at least',
        }),
      sendsPerChallenge: atLeastOne,
      sendsPerHour: count,
      sendsPerDay: count,
      callsPerHour: count,
      callsPerDay: count,
      allSendsPerHour: count,
      allSendsPerDay: count,
      enrolSendsPerDay: count,
      sendsPerSubjectPerDay: count,
      sendsPerSessionPerHour: count,
      numbersPerSessionPerDay: count,
      sendsPerAddressPer10Min: countOrOff,
      verificationsPerAddressPer10Min: countOrOff,
      enrolSendsPerAddressPer10Min: countOrOff,
      enrolVerificationsPerAddressPer10Min: countOrOff,
      serviceSendsPerMinute: count,
      maxAgeMs: ms,
      loginMaxAgeMs: ms,
      verifyTimeoutMs: timeoutMs,
      sendTimeoutMs: timeoutMs,
      storeTimeoutMs: timeoutMs,
    },
    { error: 'must be an object of limits, such as { codeLifetimeMs: 300_000 }' },
  )
  .partial()

const purpose = z
  .strictObject(
    {
      maxAgeMs: ms,
      once: z.boolean({ error: 'must be true or false' }),
      channels,
      trustedDevice: z.boolean({ error: 'must be true or false' }),
    },
    { error: 'must be an object such as { once: true }' },
  )
  .partial()

/** Built once: building costs a hundred times what a check does. */
export const optionsSchema = z.strictObject({
  provider: withMethods<ProviderClient>(
    ['sendSmsCode', 'sendCallCode', 'verifyCode', 'balance', 'close'],
    'must be a client from createClient()',
  ),
  appName: z.union(
    [
      text(appNameFix).transform((login) => ({ login })),
      z.record(z.string(), text(appNameFix)).and(z.object({ login: text(appNameFix) })),
    ],
    { error: appNameFix },
  ),
  approvedStatuses: texts(statusFix).min(1, { error: statusFix }),
  rejectedCodes: texts('must be a list of `error` values as texts').default([]),
  accountErrorCodes: texts('must be a list of `error` values as texts').default(['1003']),
  subject: fn<SubjectOf>('must be a function (req) => subject'),
  phone: fn<PhoneOf>('must be a function (req, subject) => number on file'),
  secret: z.union([secret.transform((one): [string] => [one]), secrets], { error: secretFix }),
  countries: z
    .array(country, { error: countryFix })
    .min(1, { error: `${countryFix}; an empty list lets no code out` })
    .optional(),
  dangerouslyAnyCountry: z.literal(true, { error: 'must be true or absent' }).optional(),
  purposes: z
    .record(text('must have names that are not empty'), purpose, { error: 'must be an object of purposes' })
    .default({ login: {} }),
  channels: channels.default(['sms', 'call']),
  voice: z
    .enum(Object.keys(voices) as Voice[], { error: `must be one of ${Object.keys(voices).join(', ')}` })
    .default('Mariana'),
  callRetries: whole(1, 3, 'must be 1, 2 or 3').default(1),
  countryCode: z
    .string({ error: countryCodeFix })
    .refine((code) => phoneCountries.has(code) && countryCodes.has(code), { error: countryCodeFix })
    .optional(),
  codePattern: z
    .instanceof(RegExp, { error: 'must be a regular expression' })
    // `g` and `y` make an expression remember where it stopped, and refuse every other code.
    .transform(({ source, flags }) => new RegExp(source, flags.replaceAll(/[gy]/g, '')))
    .default(/^[0-9A-Za-z]{4,10}$/),
  path: z
    .string({ error: 'must be a path such as /two-factor' })
    .regex(/^(\/[\w.~%-]+)+$/, { error: 'must be a path such as /two-factor, without a slash at its end' })
    .default('/two-factor'),
  store: withMethods<Store>(
    ['read', 'swap', 'increment'],
    'must be a store: memoryStore(), redisStore() or your own',
  ).optional(),
  namespace: z
    .string({ error: 'must be a text' })
    // A colon ends a part of a key, braces choose the slot of a cluster.
    .regex(/^[\w.-]{0,64}$/, { error: 'must have up to 64 letters, digits, dots, hyphens or underscores' })
    .default(''),
  session: withMethods<SessionAdapter>(
    ['id', 'rotate'],
    'must be expressSession(), tokenSession() or { id, rotate }',
  ).optional(),
  limits: limitsSchema.default({}),
  trustedDevices: z
    .strictObject(
      {
        // NIST SP 800-63B-4, 5.1: thirty days at most.
        maxAgeMs: whole(1, 30 * day, 'must be a whole number of milliseconds, 30 days at most'),
      },
      { error: 'must be { maxAgeMs }' },
    )
    .optional(),
  allowedOrigins: z
    .array(
      z
        .string({ error: originFix })
        .refine((origin) => URL.canParse(origin) && new URL(origin).origin === origin, {
          error: originFix,
        }),
      { error: originFix },
    )
    .default([]),
  locale: z
    .union([z.string(), fn<LocaleOf>('')], { error: 'must be a locale or a function (req) => locale' })
    .optional(),
  messages: z
    .record(
      z.string(),
      z.record(z.string(), z.string({ error: 'must be a text' }).optional(), {
        error: 'must be an object of texts',
      }),
      { error: 'must be an object of texts per locale' },
    )
    .transform((messages): Messages => messages)
    .default({}),
  render: fn<Render>('must be a function (view, { req, locale, texts }) => html').optional(),
  onVerified: fn<OnVerified>('must be a function (req, res, grant)').optional(),
  beforeSend: fn<(req: Request, send: Parameters<BeforeSend>[0]) => ReturnType<BeforeSend>>(
    'must be a function (req, send) => boolean',
  ).optional(),
  onEvent: fn<Emit>('must be a function (event)').optional(),
  now: fn<() => number>('must be a function () => milliseconds').optional(),
})
