import { parseArgs } from 'node:util'
import { version as packageVersion } from '../lib/version.js'
import { createClient, type NumberFormat, ProviderError } from '../provider/index.js'
import { calibrate } from './calibrate.js'
import { isOutage } from './calibration.js'
import { accountNeeds, channelProblem, pathFlag, phoneProblem, readPaths, resolveNeeds } from './needs.js'
import { describeRefusal } from './quote.js'
import { openTerminal } from './terminal.js'
import { printJson, UsageError, understand } from './usage.js'

const help = `Usage: express-two-factor calibrate [options]

Sends one real code to a phone of yours, has a wrong code and then the right one checked, and prints what
the account answers and the lines to paste into the options of twoFactor(). It costs one message.

  --base-url <url>      TWO_FACTOR_BASE_URL  address of the provider, with its version segment
  --client <number>     TWO_FACTOR_CLIENT    client of the account
                        TWO_FACTOR_KEY       key of the account; never taken from the command line
  --app-name <text>     TWO_FACTOR_APP_NAME  app-name at the provider
  --phone <number>      TWO_FACTOR_PHONE     a phone within reach, with its country code
  --channel <name>      TWO_FACTOR_CHANNEL   sms, or call; sms
  --country-code <code>                      ISO 3166 code that the provider is told with the number
  --number-format <as>                       how it takes numbers: digits, or plus for one with a +; digits
  --path <op>=<path>                         where an operation lies, if not where it is documented, such as
                                             verifyCode=/2fa/check; may be given several times
  --again               have the right code checked once more, to see whether it works twice
  --yes                 send without asking first
  --json                print what was answered and what follows as JSON, with a stable code
  --version             print the version of this package
  --help                this text

What is missing is asked for. Without a terminal nothing is asked: the lines of the standard input are the
key, unless TWO_FACTOR_KEY is set, and then the code that arrived.

Exit codes: 0 the lines are printed; 1 there is no answer to go by; 2 the command line was not understood,
or something is missing; 3 the answers to a right and a wrong code cannot be told apart.
`

const flags = {
  'base-url': { type: 'string' },
  client: { type: 'string' },
  key: { type: 'string' },
  'app-name': { type: 'string' },
  phone: { type: 'string' },
  channel: { type: 'string' },
  'country-code': { type: 'string' },
  'number-format': { type: 'string' },
  path: pathFlag,
  again: { type: 'boolean' },
  yes: { type: 'boolean' },
  json: { type: 'boolean' },
  version: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const

const needs = {
  ...accountNeeds,
  appName: { option: 'app-name', variable: 'TWO_FACTOR_APP_NAME', question: 'App-name at the provider' },
  phone: {
    option: 'phone',
    variable: 'TWO_FACTOR_PHONE',
    question: 'A phone within reach, with its country code',
    problem: phoneProblem,
  },
  channel: {
    option: 'channel',
    variable: 'TWO_FACTOR_CHANNEL',
    question: 'Channel, sms or call',
    problem: channelProblem,
    byDefault: 'sms',
  },
} as const

/** Finds out what an account answers to a right and to a wrong code. */
export async function calibrateCommand(args: readonly string[]): Promise<number> {
  const { values } = await understand(() => parseArgs({ args: [...args], options: flags }))
  const {
    help: explain,
    version,
    json = false,
    yes = false,
    again = false,
    path,
    'country-code': countryCode,
    'number-format': numberFormat,
    ...options
  } = values
  if (explain) {
    process.stdout.write(help)
    return 0
  }
  if (version) {
    process.stdout.write(`${packageVersion}\n`)
    return 0
  }
  const differing = { paths: readPaths(path), numberFormat: numberFormat as NumberFormat | undefined }
  const terminal = openTerminal()
  try {
    if (!yes && !terminal.interactive) {
      throw new UsageError('This costs one message, and without a terminal nobody can be asked: add --yes.')
    }
    const { baseUrl, client, key, ...destination } = await resolveNeeds(needs, options, terminal)
    const provider = await understand(() => createClient({ baseUrl, client, key, ...differing }))
    try {
      return await calibrate(terminal, provider, { ...destination, countryCode, key, yes, again, json })
    } catch (error) {
      if (!(error instanceof ProviderError)) throw error
      const message = describeRefusal(error, { key, phone: destination.phone })
      if (json) {
        const { operation, reason, httpStatus, providerError } = error
        const failed = { code: 'provider_failed', operation, reason, httpStatus, providerError, message }
        const gaveAnswer = reason === 'answer' && !isOutage(httpStatus ?? 0)
        printJson(gaveAnswer ? failed : { ...failed, code: 'outage' })
      } else {
        terminal.warn(message)
      }
      return 1
    } finally {
      await provider.close()
    }
  } finally {
    terminal.close()
  }
}
