import { minuteMs } from '../../lib/time.js'
import { maskPhoneNumber } from '../../phone-number.js'
import { type ProviderClient, ProviderError } from '../../provider/index.js'
import { numberEchoIn, numbersIn } from '../../provider/number-echo.js'
import { masked } from '../../provider/provider-error.js'
import { accountFlags, compact, phoneProblem, withClient } from './account-flags.js'
import {
  calibrationOf,
  codePatternOf,
  isOutage,
  noCalibration,
  type Observed,
  wrongCodeLike,
} from './calibration.js'
import { type Asked, printJson, readCommandLine, type Values } from './command-line.js'
import { maskAnswer, notesOn, optionLines } from './conclusion.js'
import { describeAnswer, quote, withProvidersWords } from './quote.js'
import { noteOnReplacement, secondNotApproved } from './replacement.js'
import type { Terminal } from './terminal.js'
import { UsageError, understand } from './usage-error.js'

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
    help: 'number of a phone that you can read, with its country code',
    question: 'Number of a phone that you can read, with its country code',
    problem: phoneProblem,
  },
  channel: {
    takes: '<name>',
    variable: 'TWO_FACTOR_CHANNEL',
    help: 'sms or call; default: sms',
    question: 'Channel, sms or call',
    problem: (answer: string) => (isChannel(answer) ? undefined : channelRule),
    byDefault: 'sms',
  },
  countryCode: { takes: '<code>', help: 'ISO 3166 code to send to the provider with the number' },
  numberFormat: {
    takes: '<as>',
    help: 'format of numbers at the provider: digits, or plus for a leading +; default: digits',
  },
  replaces: {
    help: `send a second code, to see whether it ends the first one (replacesCodes); costs one
more message`,
  },
  again: { help: 'check the right code once more, to see whether it works twice' },
  yes: { help: 'send without asking first' },
  json: { help: 'print the answers and the resulting options as JSON, with a stable code' },
} as const

const channelRule = 'channel must be sms or call.'
const isChannel = (text: string) => text === 'sms' || text === 'call'

const usage = {
  name: 'calibrate',
  about: `Sends one real code to your phone, checks a wrong code and then the right code, and prints the answers of
the account and the lines to paste into the options of twoFactor(). It costs one message, with --replaces two.`,
  flags,
  notes: `In a terminal, the command asks for missing values. Without a terminal, it reads the standard input: first the
key, unless TWO_FACTOR_KEY is set, and then the code that arrived. With --replaces, it reads the code of the second
message after it has reported that message.

Exit codes: 0 the lines are printed; 1 no options follow from the answers; 2 the command line is invalid,
or a value is missing; 3 the answers to a right and a wrong code cannot be told apart.`,
}

/** Determines the responses of an account to a correct and to a wrong code. */
export async function calibrateCommand(args: readonly string[]): Promise<number> {
  const values = await readCommandLine(usage, args)
  if (values === undefined) return 0
  if (!values.yes && !process.stdin.isTTY) {
    throw new UsageError('This costs one message. Without a terminal the command cannot ask, so pass --yes.')
  }
  return withClient(
    flags,
    values,
    async (provider, found, terminal) => {
      if (!isChannel(found.channel)) throw new UsageError(channelRule)
      try {
        return await calibrate(terminal, provider, { ...values, ...found })
      } catch (error) {
        if (!(error instanceof ProviderError)) throw error
        const { operation, reason, httpStatus, providerError } = error
        const message = withProvidersWords(error.message, error, { key: found.key, phone: found.phone })
        const refused = { code: 'provider_failed', operation, reason, httpStatus, providerError, message }
        const gaveAnswer = reason === 'answer' && !isOutage(httpStatus ?? 0)
        if (values.json) printJson(gaveAnswer ? refused : { ...refused, code: 'outage' })
        else terminal.warn(message)
        return 1
      }
    },
    values.numberFormat,
  )
}

type Order = Values<typeof flags> & Asked<typeof flags>

/** Sends one code or two, checks a wrong and the correct one, and prints the options. Resolves with the exit code. */
async function calibrate(terminal: Terminal, provider: ProviderClient, order: Order): Promise<number> {
  const { phone: spelled, appName, countryCode, key, again, json } = order
  const to = { phone: compact(spelled), appName, countryCode }
  const sent = await sendCode(terminal, provider, { ...order, ...to }, 'This sends one')
  if (sent === undefined) {
    terminal.say('Nothing was sent.')
    return 1
  }
  const typed = await askForCode(terminal, 'The code that arrived')
  const second = order.replaces
    ? await sendSecondCode(terminal, provider, { ...order, ...to }, typed)
    : undefined
  const { first = typed, code, echo } = second ?? { code: typed, echo: sent.echo }
  terminal.say('')
  const wrongCode = wrongCodeLike(code) === first ? wrongCodeLike(first) : wrongCodeLike(code)

  const sentFields = new URLSearchParams({ key, phone: to.phone })
  for (const one of [first, code, wrongCode]) sentFields.append('code', one)
  const form = sentFields.toString()
  const check = async (name: string, checked: string) => {
    const answer = maskAnswer(await understand(() => provider.verifyCode({ ...to, code: checked })), form)
    if (!json) print(describeAnswer(name, answer))
    return answer
  }
  // The first code comes before the wrong one, which may end it. The correct code comes last: it may be valid for only
  // one check, and the wrong code needs it live.
  const observed = {
    echo: sent.echo === 'others' ? sent.echo : echo,
    first: second && {
      answer: first === code ? undefined : await check('first code', first),
      ageMs: Date.now() - sent.at,
      lifetimeMs: sent.lifetimeMs,
      isTypedTwice: terminal.interactive,
    },
    wrong: await check('wrong code', wrongCode),
    right: await check('right code', code),
    again: again ? await check('right again', code) : undefined,
  }
  const calibration = calibrationOf(observed)
  const { outcome } = calibration
  if (outcome !== 'told_apart') {
    const named = sent.echo === 'others' ? sent : (second ?? sent)
    const notes = [noCalibration[outcome], ...hintsOn(outcome, named.raw, second !== undefined)]
    if (json) printJson({ code: outcome, observed: shown(observed), notes })
    else terminal.warn(`\n${notes.join('\n')}`)
    return outcome === 'alike' ? 3 : 1
  }
  const { approvedStatuses, rejectedCodes, replacesCodes } = calibration
  const calibratedAt = new Date().toISOString().slice(0, 10)
  const codePattern = codePatternOf(code)
  const options = { approvedStatuses, rejectedCodes, codePattern, calibratedAt, replacesCodes }
  const notes = [
    ...notesOn(calibration),
    noteOnReplacement(observed, replacesCodes),
    // This message has arrived, so its state is the state of every delivered message.
    await deliveryNote(provider, sent.id, form),
  ]
  if (json) {
    printJson({ code: outcome, observed: shown(observed), options, notes })
  } else {
    print(`\n${optionLines(options)}`)
    for (const note of notes) terminal.say(`\n${note}`)
  }
  return 0
}

/** Returns notes besides the reason why no options may be pasted. */
function hintsOn(outcome: keyof typeof noCalibration, raw: unknown, areTwo: boolean): readonly string[] {
  if (outcome === 'foreign_number') return [namedNote(raw)]
  const isUnapproved = outcome === 'alike' || outcome === 'not_approved'
  return areTwo && isUnapproved ? [secondNotApproved] : []
}

/** Asks for permission, unless it was given, and sends a code. Returns undefined without a permission. */
async function sendCode(terminal: Terminal, provider: ProviderClient, order: Order, opening: string) {
  const { phone, appName, countryCode, channel, yes } = order
  const isText = channel === 'sms'
  const message = `real ${isText ? 'SMS' : 'call'} to the number that ends in ${phone.slice(-2)}`
  const question = `${opening} ${message}, which costs money. Send it, y or n`
  if (!yes && !/^y(es)?$/i.test(await terminal.ask(question, { byDefault: 'n' }))) return undefined
  const to = { phone, appName, countryCode }
  const at = Date.now()
  const { id, raw, minutesToExpire } = await understand(() =>
    isText ? provider.sendSmsCode(to) : provider.sendCallCode({ ...to, voice: 'Mariana', retries: 1 }),
  )
  terminal.say(`The provider has accepted one ${message}.`)
  const lifetimeMs = minutesToExpire === undefined ? undefined : minutesToExpire * minuteMs
  return { at, id, raw, lifetimeMs, echo: await numberEchoIn(raw, phone) }
}

/** Sends the code that may end the first one. Returns undefined if the person does not want it. */
async function sendSecondCode(terminal: Terminal, provider: ProviderClient, order: Order, typed: string) {
  if (order.yes) terminal.say('The second code costs one more message.')
  const opening = 'To see whether a new code ends the first one, this sends one more'
  const sent = await sendCode(terminal, provider, order, opening)
  if (sent === undefined) return undefined
  const code = await askForCode(terminal, 'The code of the second message')
  // A mistyped first code would look like a replaced one.
  const first = terminal.interactive ? await confirmCode(terminal, typed) : typed
  return { ...sent, first, code }
}

async function askForCode(terminal: Terminal, question: string): Promise<string> {
  for (;;) {
    const code = (await terminal.ask(question)).replaceAll(/[\s-]/g, '')
    if (/^[0-9A-Za-z]+$/.test(code)) return code
    terminal.say('A code contains only letters and digits.')
  }
}

/** Asks for the first code until it was typed twice alike. */
async function confirmCode(terminal: Terminal, typed: string): Promise<string> {
  for (let before = typed; ; ) {
    const code = await askForCode(terminal, 'The code of the first message once more')
    if (code === before) return code
    terminal.say('That is another code than you typed before.')
    before = code
  }
}

/** Returns the deciding members of the responses. The other members may quote the request. */
function shown({ echo, first, ...answers }: Observed): object {
  const entries = Object.entries({ first: first?.answer, ...answers }).map(([name, answer]) => {
    return [name, answer && { httpStatus: answer.httpStatus, status: answer.status, error: answer.error }]
  })
  return { echo, ...Object.fromEntries(entries) }
}

/** Lists the numbers in a response, as far as a terminal may display them. */
function namedNote(raw: unknown): string {
  const named = numbersIn(raw).map((spelled) => maskPhoneNumber(spelled))
  return `It names ${named.slice(0, 5).join(', ') || 'several messages'}.`
}

function print(text: string): void {
  process.stdout.write(`${text}\n`)
}

/** Checks whether the account reports delivery, with a message that has surely arrived. */
async function deliveryNote(client: ProviderClient, id: string | undefined, form: string): Promise<string> {
  if (id === undefined) return cannotTell
  try {
    const entries = await client.messageState({ id })
    const states = entries.flatMap(({ state }) => (state === undefined ? [] : quote(masked(state, form))))
    if (states.length === 0) return cannotTell
    return `The state of the message that arrived is ${states.join(', ')}: add it to examples/watch-delivery.ts.`
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error
    return cannotTell
  }
}

const cannotTell = 'The account does not report the delivery of a message.'
