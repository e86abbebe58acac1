import { parseArgs } from 'node:util'
import { type ClientOptions, createClient } from '../provider/index.js'
import { describeRow, type Row } from './findings.js'
import { expressRow, nodeRow } from './host-checks.js'
import { loadFromApp } from './host-packages.js'
import { accountNeeds, resolveNeeds } from './needs.js'
import { pathFlag, readPaths } from './paths.js'
import { balanceRow, clockRow } from './provider-checks.js'
import { redisRows } from './redis-check.js'
import { openTerminal } from './terminal.js'
import { UsageError, understand } from './usage.js'

const help = `Usage: express-two-factor doctor [options]

Checks everything that could prevent codes from being delivered, in the folder of your app: Node, Express,
the provider and its clock, Redis. It sends no message and costs nothing.

  --base-url <url>      TWO_FACTOR_BASE_URL  address of the provider, with its version segment
  --client <number>     TWO_FACTOR_CLIENT    client of the account
                        TWO_FACTOR_KEY       key of the account; never taken from the command line
  --path <op>=<path>                         where an operation lies, if not where it is documented:
                                             balance=/account/balance
  --redis-url <url>     REDIS_URL            Redis, if the app uses it
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
  help: { type: 'boolean', short: 'h' },
} as const

/** Checks what the package stands on. */
export async function doctorCommand(args: readonly string[]): Promise<number> {
  const { values } = await understand(() => parseArgs({ args: [...args], options: flags }))
  const { help: explain, path, 'redis-url': redisOption, ...options } = values
  if (explain) {
    process.stdout.write(help)
    return 0
  }
  const paths = readPaths(path)
  const redisUrl = redisUrlOf(redisOption ?? process.env.REDIS_URL)
  const terminal = openTerminal()
  try {
    const account = await resolveNeeds(accountNeeds, options, terminal)
    return print(await examine({ ...account, paths }, redisUrl))
  } finally {
    terminal.close()
  }
}

async function examine(
  account: Readonly<Record<keyof typeof accountNeeds, string>> & Pick<ClientOptions, 'paths'>,
  redisUrl: string | undefined,
): Promise<readonly Row[]> {
  const provider = await understand(() => createClient(account))
  try {
    const express = loadFromApp('express/package.json') as { version: string } | undefined
    return [
      nodeRow(process.versions.node),
      expressRow(express?.version),
      await balanceRow(provider, account.key),
      await clockRow(account.baseUrl),
      ...(await redisRows(redisUrl)),
    ]
  } finally {
    await provider.close()
  }
}

function print(rows: readonly Row[]): number {
  const wrong = rows.filter(({ found }) => found === 'wrong').length
  const verdict = wrong === 0 ? 'Nothing is wrong.' : `${wrong} of ${rows.length} are wrong.`
  const lines = rows.map((row) => describeRow(row, process.stdout))
  process.stdout.write(`${lines.join('\n')}\n\n${verdict}\n`)
  return wrong === 0 ? 0 : 1
}

function redisUrlOf(url: string | undefined): string | undefined {
  if (url === undefined || url === '') return undefined
  if (URL.canParse(url) && /^rediss?:$/.test(new URL(url).protocol)) return url
  throw new UsageError('redis-url must begin with redis:// or rediss://.')
}
