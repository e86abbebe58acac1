import { ProviderError } from '../provider/index.js'
import { accountFlags, phoneProblem, withClient } from './account-flags.js'
import { calibrate } from './calibrate.js'
import { isOutage } from './calibration.js'
import { printJson, readCommandLine } from './command-line.js'
import { describeRefusal } from './quote.js'
import { UsageError } from './usage-error.js'

const flags = {
  ...accountFlags,
  appName: {
    takes: '<text>',
    variable: 'TWO_FACTOR_APP_NAME',
    help: 'app-name at the provider',
    question: 'App-name at the provider',
  },
  phone: {
    takes: '<number>',
    variable: 'TWO_FACTOR_PHONE',
    help: 'a phone within reach, with its country code',
    question: 'A phone within reach, with its country code',
    problem: phoneProblem,
  },
  channel: {
    takes: '<name>',
    variable: 'TWO_FACTOR_CHANNEL',
    help: 'sms, or call; sms',
    question: 'Channel, sms or call',
    problem: (answer: string) => (isChannel(answer) ? undefined : channelRule),
    byDefault: 'sms',
  },
  countryCode: { takes: '<code>', help: 'ISO 3166 code that the provider is told with the number' },
  numberFormat: {
    takes: '<as>',
    help: 'how it takes numbers: digits, or plus for one with a +; digits',
  },
  again: { help: 'have the right code checked once more, to see whether it works twice' },
  yes: { help: 'send without asking first' },
  json: { help: 'print what was answered and what follows as JSON, with a stable code' },
} as const

const channelRule = 'channel must be sms or call.'
const isChannel = (text: string) => text === 'sms' || text === 'call'

const usage = {
  name: 'calibrate',
  about: `Sends one real code to a phone of yours, has a wrong code and then the right one checked, and prints what
the account answers and the lines to paste into the options of twoFactor(). It costs one message.`,
  flags,
  notes: `What is missing is asked for. Without a terminal nothing is asked: the lines of the standard input are the
key, unless TWO_FACTOR_KEY is set, and then the code that arrived.

Exit codes: 0 the lines are printed; 1 there is no answer to go by; 2 the command line was not understood,
or something is missing; 3 the answers to a right and a wrong code cannot be told apart.`,
}

/** Finds out what an account answers to a right and to a wrong code. */
export async function calibrateCommand(args: readonly string[]): Promise<number> {
  const values = await readCommandLine(usage, args)
  if (values === undefined) return 0
  const { json = false, yes = false, again = false, countryCode, numberFormat } = values
  if (!yes && !process.stdin.isTTY) {
    throw new UsageError('This costs one message, and without a terminal nobody can be asked: add --yes.')
  }
  return withClient(
    flags,
    values,
    async (provider, { key, phone, appName, channel }, terminal) => {
      if (!isChannel(channel)) throw new UsageError(channelRule)
      try {
        const order = { phone, appName, channel, countryCode, key, yes, again, json }
        return await calibrate(terminal, provider, order)
      } catch (error) {
        if (!(error instanceof ProviderError)) throw error
        const { operation, reason, httpStatus, providerError } = error
        const message = describeRefusal(error, { key, phone })
        const refused = { code: 'provider_failed', operation, reason, httpStatus, providerError, message }
        const gaveAnswer = reason === 'answer' && !isOutage(httpStatus ?? 0)
        if (json) printJson(gaveAnswer ? refused : { ...refused, code: 'outage' })
        else terminal.warn(message)
        return 1
      }
    },
    numberFormat,
  )
}
