import type { ProviderClient } from '../provider/index.js'
import { accountFlags, withClient } from './account-flags.js'
import { printJson, readCommandLine } from './command-line.js'
import { describeRow, type Row } from './findings.js'
import { clockRow, expressRow, type LoadFromApp, loadFromApp, nodeRow } from './host-checks.js'
import { balanceRow } from './provider-checks.js'
import { redisRows } from './redis-check.js'
import { secretShown, UsageError } from './usage-error.js'

const flags = {
  ...accountFlags,
  redisUrl: {
    takes: '<url>',
    variable: 'REDIS_URL',
    help: 'Redis, if the app uses it; a password only in the variable',
  },
  lowCredits: { takes: '<count>', help: 'below so many credits the account is worth a look; 50' },
  json: { help: 'print the findings as JSON, each with its stable code' },
} as const

const usage = {
  name: 'doctor',
  about: `Checks everything that could prevent codes from being delivered, in the folder of your app: Node, Express,
the provider and its clock, Redis. It sends no message and costs nothing.`,
  flags,
  notes: `What is missing of the account is asked for. Without a terminal nothing is asked: the first line of the
standard input is the key, unless TWO_FACTOR_KEY is set.

Exit codes: 0 nothing is wrong; 1 something is; 2 the command line was not understood, or something is
missing.`,
}

/** Checks what the package stands on. */
export async function doctorCommand(args: readonly string[]): Promise<number> {
  const values = await readCommandLine(usage, args)
  if (values === undefined) return 0
  const lowCredits = creditsOf(values.lowCredits ?? '50')
  if (values.redisUrl !== undefined && holdsPassword(values.redisUrl)) {
    throw secretShown('A password in --redis-url', 'REDIS_URL')
  }
  const redisUrl = redisUrlOf(values.redisUrl ?? process.env.REDIS_URL)
  return withClient(flags, values, async (provider, account) => {
    const nodeVersion = process.versions.node
    const report = await examine({
      ...account,
      provider,
      lowCredits,
      redisUrl,
      nodeVersion,
      load: loadFromApp,
    })
    if (values.json) printJson(report)
    else process.stdout.write(`${describeReport(report, process.stdout)}\n`)
    return report.ok ? 0 : 1
  })
}

function creditsOf(text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text)
  throw new UsageError('low-credits must be a whole number of credits, such as 50.')
}

function holdsPassword(url: string): boolean {
  if (!URL.canParse(url)) return false
  const { password, searchParams } = new URL(url)
  return password !== '' || searchParams.has('password')
}

function redisUrlOf(url: string | undefined): string | undefined {
  if (url === undefined || url === '') return undefined
  if (URL.canParse(url) && /^rediss?:$/.test(new URL(url).protocol)) return url
  throw new UsageError('redis-url must begin with redis:// or rediss://.')
}

/** What the doctor has found. `--json` prints it as it is. */
export interface Report {
  readonly ok: boolean
  readonly rows: readonly Row[]
  /** What only others can look at, so that no silence is taken for health. */
  readonly notLookedAt: readonly { readonly code: string; readonly text: string }[]
}

const notLookedAt = [
  {
    code: 'codes',
    text: 'whether codes arrive, and what the account answers to them: npx express-two-factor calibrate',
  },
  {
    code: 'app',
    text: 'options, limits beside the traffic of the week, cookie, proxies, store: await tf.selfTest() in the app',
  },
] as const

/** Looks at everything that can be looked at without a message and without the app. */
export async function examine(parts: {
  readonly provider: ProviderClient
  readonly baseUrl: string
  readonly key: string
  readonly lowCredits: number
  readonly redisUrl: string | undefined
  readonly nodeVersion: string
  readonly load: LoadFromApp
}): Promise<Report> {
  const { provider, baseUrl, redisUrl, nodeVersion, load } = parts
  const express = load('express/package.json') as { version: string } | undefined
  const rows = [
    nodeRow(nodeVersion),
    expressRow(express?.version),
    await balanceRow(provider, parts),
    await clockRow(baseUrl),
    ...(await redisRows(redisUrl, load)),
  ]
  return { ok: rows.every(({ found }) => found !== 'wrong'), rows, notLookedAt }
}

export function describeReport(
  { rows, notLookedAt: others }: Report,
  stream: Parameters<typeof describeRow>[1],
): string {
  const wrong = rows.filter(({ found }) => found === 'wrong').length
  return [
    ...rows.map((row) => describeRow(row, stream)),
    '\nNot looked at:',
    ...others.map(({ text }) => `  ${text}`),
    wrong === 0 ? '\nNothing is wrong.' : `\n${wrong} of ${rows.length} ${wrong === 1 ? 'is' : 'are'} wrong.`,
  ].join('\n')
}
