import type { ProviderClient } from '../provider/index.js'
import { type Calibration, calibrationOf } from './calibration.js'
import { describeAnswer, maskAnswer, optionLine } from './observation.js'
import type { Terminal } from './terminal.js'
import { UsageError, understand } from './usage.js'
import { wrongCodeLike } from './wrong-code.js'

interface Order {
  readonly phone: string
  readonly appName: string
  readonly channel: string
  /** Only to be hidden where an answer quotes it. */
  readonly key: string
  /** Whether the message was agreed to before. */
  readonly yes: boolean
  /** Whether the right code is checked a second time. */
  readonly again: boolean
}

/** Sends one code, checks a wrong and the right one, and prints what follows. Resolves with the exit code. */
export async function calibrate(
  terminal: Terminal,
  provider: ProviderClient,
  { phone: spelled, appName, channel, key, yes, again }: Order,
): Promise<number> {
  if (channel !== 'sms' && channel !== 'call') throw new UsageError('channel must be sms or call.')
  const to = { phone: spelled.replaceAll(/[\s().-]/g, ''), appName }
  const message = `one real ${channel === 'sms' ? 'SMS' : 'call'} to the number that ends in ${to.phone.slice(-2)}`
  const question = `This sends ${message}, which costs money. Send it, y or n`
  if (!yes && !/^y(es)?$/i.test(await terminal.ask(question, { byDefault: 'n' }))) {
    terminal.say('Nothing was sent.')
    return 1
  }
  await understand(() =>
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
    print(describeAnswer(name, answer))
    return answer
  }
  // The right code last: it may be good for one check alone, and the wrong one must meet it alive.
  const calibration = calibrationOf({
    wrong: await check('wrong code', wrongCode),
    right: await check('right code', code),
    again: again ? await check('right again', code) : undefined,
  })
  return conclude(terminal, calibration)
}

async function askForCode(terminal: Terminal): Promise<string> {
  for (;;) {
    const code = (await terminal.ask('The code that arrived')).replaceAll(/[\s-]/g, '')
    if (/^[0-9A-Za-z]+$/.test(code)) return code
    terminal.say('A code has letters and digits alone.')
  }
}

function conclude(terminal: Terminal, calibration: Calibration): number {
  switch (calibration.outcome) {
    case 'told-apart':
      print(`
For the options of twoFactor():

${optionLine('approvedStatuses', calibration.approvedStatuses)}
${optionLine('rejectedCodes', calibration.rejectedCodes)}`)
      for (const note of notesOn(calibration)) terminal.say(`\n${note}`)
      return 0
    case 'alike':
      terminal.warn(`
A RIGHT AND A WRONG CODE CANNOT BE TOLD APART: this account answers both alike, so every list of approved
statuses would let anybody in with any code. Do not go live with it. If the code was typed as it arrived,
ask the provider what a wrong code is answered for this app-name.`)
      return 3
    case 'not-approved':
      terminal.warn(`
The answer to the code that arrived approves nothing: that takes HTTP 200, a status that is a word or a
number, and no error. Was the code mistyped, or too old, or sent for another app-name? Then run this again.`)
      return 1
    case 'not-rejected':
      terminal.warn(`
The answer to the wrong code says nothing about the code: that takes HTTP 200, or an error under HTTP 400 or
520 that is not about the account. Was it an outage? Then run this again. If it stays so, people who mistype
their code will be told that the service is out of order (503).`)
      return 1
  }
}

function notesOn({
  rejectedCodes,
  usedOnce,
}: Extract<Calibration, { outcome: 'told-apart' }>): readonly string[] {
  return [
    rejectedCodes.length > 0
      ? 'Any other error, of an expired code perhaps, is then taken for an outage (503). Leave rejectedCodes out\nto have every error taken for a wrong code.'
      : 'An empty rejectedCodes, the default, has every error taken for a wrong code.',
    ...(usedOnce === true ? ['A code is good for one check.'] : []),
    ...(usedOnce === false
      ? ['A CODE WORKS TWICE at this account. twoFactor() refuses the second use itself.']
      : []),
  ]
}

function print(text: string): void {
  process.stdout.write(`${text}\n`)
}
