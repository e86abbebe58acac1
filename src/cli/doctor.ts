import { parseArgs } from 'node:util'
import { version as packageVersion } from '../lib/version.js'
import { createClient, type ProviderClient } from '../provider/index.js'
import { describeRow, type Row } from './findings.js'
import { clockRow, expressRow, type LoadFromApp, loadFromApp, nodeRow } from './host-checks.js'
import { accountNeeds, pathFlag, readPaths, resolveNeeds } from './needs.js'
import { balanceRow } from './provider-checks.js'
import { redisRows } from './redis-check.js'
import { openTerminal } from './terminal.js'
import { printJson, secretShown, UsageError, understand } from './usage.js'

const help = `Usage: express-two-factor doctor [options]

Checks everything that could prevent codes from being delivered, in the folder of your app: Node, Express,
the provider and its clock, Redis. It sends no message and costs nothing.

  --base-url <url>      TWO_FACTOR_BASE_URL  address of the provider, with its version segment
  --client <number>     TWO_FACTOR_CLIENT    client of the account
                        TWO_FACTOR_KEY       key of the account; never taken from the command line
  --path <op>=<path>                         where an operation lies, if not where it is documented:
                                             balance=/account/balance
  --redis-url <url>     REDIS_URL            Redis, if the app uses it; a password only in the variable
  --low-credits <count>                      below so many credits the account is worth a look; 50
  --json                                     print the findings as JSON, each with its stable code
  --version                                  print the version of this package
  --help                                     this text

What is missing of the account is asked for. Without a terminal nothing is asked: the first line of the
standard input is the key, unless TWO_FACTOR_KEY is set.

Exit codes: 0 nothing is wrong; 1 something is; 2 the command line was not understood, or something is
missing.
`

const flags = {
  'base-url': { type: 'string' },
  client: { type: 'string' },
  key: { type: 'string' },
  path: pathFlag,
  'redis-url': { type: 'string' },
  'low-credits': { type: 'string' },
  json: { type: 'boolean' },
  version: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const

/** Checks what the package stands on. */
export async function doctorCommand(args: readonly string[]): Promise<number> {
  const { values } = await understand(() => parseArgs({ args: [...args], options: flags }))
  const { help: explain, version, json = false, path, ...given } = values
  const { 'redis-url': redisOption, 'low-credits': lowOption = '50', ...options } = given
  if (explain) {
    process.stdout.write(help)
    return 0
  }
  if (version) {
    process.stdout.write(`${packageVersion}\n`)
    return 0
  }
  const paths = readPaths(path)
  const lowCredits = creditsOf(lowOption)
  if (redisOption !== undefined && holdsPassword(redisOption)) {
    throw secretShown('A password in --redis-url', 'REDIS_URL')
  }
  const redisUrl = redisUrlOf(redisOption ?? process.env.REDIS_URL)
  const terminal = openTerminal()
  try {
    const account = await resolveNeeds(accountNeeds, options, terminal)
    const provider = await understand(() => createClient({ ...account, paths }))
    try {
      const nodeVersion = process.versions.node
      const parts = { ...account, provider, lowCredits, redisUrl, nodeVersion, load: loadFromApp }
      const report = await examine(parts)
      if (json) printJson(report)
      else process.stdout.write(`${describeReport(report, process.stdout)}\n`)
      return report.ok ? 0 : 1
    } finally {
      await provider.close()
    }
  } finally {
    terminal.close()
  }
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
    text: 'options, session cookie, proxies and store as the app uses them: await tf.selfTest() in it',
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
