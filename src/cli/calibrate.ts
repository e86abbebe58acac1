import { masked } from '../lib/masking.js'
import { type ProviderClient, ProviderError, providerCodes, type VerifyAnswer } from '../provider/index.js'
import { compact } from './account-flags.js'
import { calibrationOf, noCalibration } from './calibration.js'
import { printJson } from './command-line.js'
import { describeAnswer, maskAnswer, notesOn, optionLines } from './conclusion.js'
import { quote } from './quote.js'
import type { Terminal } from './terminal.js'
import { understand } from './usage-error.js'

interface Order {
  readonly phone: string
  readonly appName: string
  readonly channel: string
  readonly countryCode: string | undefined
  /** Only to be hidden where an answer quotes it. */
  readonly key: string
  /** Whether the message was agreed to before. */
  readonly yes: boolean
  /** Whether the right code is checked a second time. */
  readonly again: boolean
  /** Whether what was found out is printed for a program. */
  readonly json: boolean
}

/** Sends one code, checks a wrong and the right one, and prints what follows. Resolves with the exit code. */
export async function calibrate(
  terminal: Terminal,
  provider: ProviderClient,
  { phone: spelled, appName, channel, countryCode, key, yes, again, json }: Order,
): Promise<number> {
  const to = { phone: compact(spelled), appName, countryCode }
  const message = `one real ${channel === 'sms' ? 'SMS' : 'call'} to the number that ends in ${to.phone.slice(-2)}`
  const question = `This sends ${message}, which costs money. Send it, y or n`
  if (!yes && !/^y(es)?$/i.test(await terminal.ask(question, { byDefault: 'n' }))) {
    terminal.say('Nothing was sent.')
    return 1
  }
  const { id } = await understand(() =>
    channel === 'sms'
      ? provider.sendSmsCode(to)
      : provider.sendCallCode({ ...to, voice: 'Mariana', retries: 1 }),
  )
  terminal.say(`The provider has taken ${message}.`)

  const code = await askForCode(terminal)
  terminal.say('')
  const wrongCode = wrongCodeLike(code)
  const form = new URLSearchParams({ key, phone: to.phone, code, wrongCode }).toString()
  const check = async (name: string, checked: string) => {
    const answer = maskAnswer(await understand(() => provider.verifyCode({ ...to, code: checked })), form)
    if (!json) print(describeAnswer(name, answer))
    return answer
  }
  // The right code last: it may be good for one check alone, and the wrong one must meet it alive.
  const observed = {
    wrong: await check('wrong code', wrongCode),
    right: await check('right code', code),
    again: again ? await check('right again', code) : undefined,
  }
  const calibration = calibrationOf(observed)
  const { outcome } = calibration
  if (outcome !== 'told_apart') {
    if (json) printJson({ code: outcome, observed: shown(observed), notes: [noCalibration[outcome]] })
    else terminal.warn(`\n${noCalibration[outcome]}`)
    return outcome === 'alike' ? 3 : 1
  }
  const { approvedStatuses, rejectedCodes } = calibration
  const calibratedAt = new Date().toISOString().slice(0, 10)
  const options = { approvedStatuses, rejectedCodes, codePattern: codePatternOf(code), calibratedAt }
  // A message that has arrived: what the account says about it now is what it would say to `watch.delivery`.
  const notes = [...notesOn(calibration), await deliveryNote(provider, id, form)]
  if (json) {
    printJson({ code: outcome, observed: shown(observed), options, notes })
  } else {
    print(`\n${optionLines(options)}`)
    for (const note of notes) terminal.say(`\n${note}`)
  }
  return 0
}

async function askForCode(terminal: Terminal): Promise<string> {
  for (;;) {
    const code = (await terminal.ask('The code that arrived')).replaceAll(/[\s-]/g, '')
    if (/^[0-9A-Za-z]+$/.test(code)) return code
    terminal.say('A code has letters and digits alone.')
  }
}

/** What decides in the answers: the rest of one may quote what was sent. */
function shown(observed: Readonly<Record<string, VerifyAnswer | undefined>>): object {
  const entries = Object.entries(observed).map(([name, answer]) => {
    return [name, answer && { httpStatus: answer.httpStatus, status: answer.status, error: answer.error }]
  })
  return Object.fromEntries(entries)
}

function print(text: string): void {
  process.stdout.write(`${text}\n`)
}

/**
 * A code of the same shape that is not the right one: its own characters, moved by one. No other character
 * is sure to be in the alphabet of the account, and a code outside it might be refused for its form alone.
 */
export function wrongCodeLike(code: string): string {
  const moved = code.slice(1) + code.slice(0, 1)
  return moved === code ? code.slice(1) + neighbourOf(code.slice(0, 1)) : moved
}

/** For a code of one character repeated, which moving does not change. */
function neighbourOf(character: string): string {
  if (character === '9') return '8'
  if (character === 'z' || character === 'Z') return String.fromCharCode(character.charCodeAt(0) - 1)
  return String.fromCharCode(character.charCodeAt(0) + 1)
}

/**
 * The source of a `code.pattern` for codes like this one. Letters bring digits along: one code of four letters
 * does not say that the next one has no digit.
 */
export function codePatternOf(code: string): string {
  if (/^\d+$/.test(code)) return `^\\d{${code.length}}$`
  const letters = code === code.toUpperCase() ? 'A-Z' : code === code.toLowerCase() ? 'a-z' : 'A-Za-z'
  return `^[0-9${letters}]{${code.length}}$`
}

/** Whether the option `watch.delivery` would work: asks what became of a message that has surely arrived. */
async function deliveryNote(client: ProviderClient, id: string | undefined, form: string): Promise<string> {
  if (id === undefined) return cannotTell
  try {
    const entries = await client.messageState({ id })
    const states = entries.flatMap(({ state }) => (state === undefined ? [] : quote(masked(state, form))))
    if (states.length === 0) return cannotTell
    const told = { ...client, messageState: async () => entries }
    const codes = providerCodes({ client: told, approvedStatuses: ['none'] })
    const state = await codes.messageState?.({ id, signal: AbortSignal.timeout(client.timeoutMs) })
    return `The state of the message that arrived is ${states.join(', ')}: ${state === 'delivered' ? tells : tellsNothing}`
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error
    return cannotTell
  }
}

const tells = 'watch: { delivery: {} } works with this account.'
const tellsNothing = 'watch.delivery would report message.unknown or worse, so leave it out.'
const cannotTell = 'The account does not tell what became of a message: leave watch.delivery out.'
