import { accountFlags, withClient } from './account-flags.js'
import { printJson, readCommandLine } from './command-line.js'
import { describeReport, examine } from './doctor.js'
import { loadFromApp } from './host-checks.js'
import { redisFlag, redisUrlOf } from './redis-flag.js'
import { UsageError } from './usage-error.js'

const flags = {
  ...accountFlags,
  redisUrl: redisFlag,
  namespace: { takes: '<name>', help: 'namespace of the app, if it has one' },
  lowCredits: { takes: '<count>', help: 'warn below this number of credits; default: 50' },
  json: { help: 'print the findings as JSON, each with its stable code' },
} as const

const usage = {
  name: 'doctor',
  about: `Checks everything that could prevent codes from being delivered, in the folder of your app: Node, Express,
the provider and its clock, Redis. It sends no message and costs nothing.`,
  flags,
  notes: `In a terminal, the command asks for missing values. Without a terminal, it reads the key from the first line of
the standard input, unless TWO_FACTOR_KEY is set.

Exit codes: 0 no problem was found; 1 a problem was found; 2 the command line is invalid, or a value is
missing.`,
}

/** Checks the environment of the package. */
export async function doctorCommand(args: readonly string[]): Promise<number> {
  const values = await readCommandLine(usage, args)
  if (values === undefined) return 0
  const lowCredits = creditsOf(values.lowCredits ?? '50')
  const redisUrl = redisUrlOf(values)
  return withClient(flags, values, async (provider, account) => {
    const report = await examine({
      ...account,
      provider,
      lowCredits,
      redisUrl,
      namespace: values.namespace,
      versions: process.versions,
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
