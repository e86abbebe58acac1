import type { ProviderClient, VerifyAnswer } from '../provider/index.js'
import { compact } from './answer-problems.js'
import { calibrationOf } from './calibration.js'
import { codePatternOf } from './code-shape.js'
import { conclusionOf, optionLines } from './conclusion.js'
import { deliveryNote } from './delivery-note.js'
import { describeAnswer, maskAnswer } from './observation.js'
import { printJson } from './print-json.js'
import type { Terminal } from './terminal.js'
import { UsageError, understand } from './usage.js'
import { wrongCodeLike } from './wrong-code.js'

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
  if (channel !== 'sms' && channel !== 'call') throw new UsageError('channel must be sms or call.')
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
  const { exitCode, outcome, options, ...found } = conclusionOf(calibrationOf(observed), {
    codePattern: codePatternOf(code),
    calibratedAt: new Date().toISOString().slice(0, 10),
  })
  // A message that has arrived: what the account says about it now is what it would say to `watch.delivery`.
  const notes = exitCode === 0 ? [...found.notes, await deliveryNote(provider, id, form)] : found.notes
  if (json) {
    printJson({ code: outcome, observed: shown(observed), options, notes })
    return exitCode
  }
  if (options !== undefined) print(`\n${optionLines(options)}`)
  const tell = exitCode === 0 ? terminal.say : terminal.warn
  for (const note of notes) tell(`\n${note}`)
  return exitCode
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
