import type { LedgerReport, PersonReport } from '../../challenge/operator/inspection.js'
import { printJson, readCommandLine } from './command-line.js'
import { describeLedger, describeNumber, describePerson, withoutNumber } from './person-report.js'
import { printable } from './quote.js'
import { exitCodes, storeFlags, type Where, withInspection } from './store-connection.js'
import { openTerminal } from './terminal.js'
import { UsageError } from './usage-error.js'

const flags = {
  ...storeFlags,
  unlock: {
    help: `lift the lock or disabling of the account, and reset its counters, and those over all accounts
of each number that received its codes`,
  },
  number: {
    takes: '<number>',
    help: `number of the account, such as +573001234567: shows its counters over all accounts, and
--unlock resets them, also if the account got no code at it`,
  },
  revoke: {
    help: 'revoke everything of the account: grants in every session, known browsers, trusted\ndevices, codes on their way; asks first',
  },
  yes: { help: 'do not ask, in scripts' },
  account: { help: 'treat a value that begins with + as an account, for apps whose account ids are numbers' },
} as const

const usage = {
  name: 'person <account>',
  about: `Shows the state of an account: lock, next code, next attempt, the codes of today, trusted devices, attempts with
recovery codes. Pass the account id that the option subject returns, or a number, such as +573001234567, for the state
of a sign-up with it. It needs no provider and no app, and changes nothing without --unlock or --revoke.`,
  flags,
  notes: `The limits shown are those of the app process that started last.

${exitCodes}`,
}

/** Shows an account, and makes the requested change. */
export async function personCommand(args: readonly string[]): Promise<number> {
  const [first = ''] = args
  const subject = first.startsWith('-') ? '' : first
  const values = await readCommandLine(usage, subject === '' ? args : args.slice(1))
  if (values === undefined) return 0
  if (subject === '') throw new UsageError('The account is missing: pass it, such as person ana.')
  const { unlock, revoke, json, number: phone } = values
  if (subject.startsWith('+') && !values.account) {
    if (unlock || revoke) {
      throw new UsageError(
        '--unlock and --revoke need an account, not a number. If this is an account id, pass --account.',
      )
    }
    return withInspection(values, (where) => showNumber(where, subject, json))
  }
  if (revoke && !values.yes && !(await isMeant(subject))) {
    process.stderr.write('Nothing was changed.\n')
    return 1
  }
  return withInspection(values, async (where) => {
    const { inspection, change } = where
    const before = await inspection.person(subject, { phone }).catch(asUsageError)
    const isUnlocked = unlock === true && (before.isKnown || phone !== undefined)
    const reset = isUnlocked
      ? await change('unlocked', () => inspection.unlock(subject, { phone }))
      : undefined
    if (revoke) await change('revoked', () => inspection.revokeEverything(subject))
    const person = isUnlocked || revoke ? await inspection.person(subject, { phone }) : before
    const done = { ...(unlock && { unlocked: isUnlocked }), ...(revoke && { revoked: true }) }
    const numbersReset = reset && { numbersReset: reset.numbers }
    if (json) printJson({ account: subject, namespace: where.namespace, ...done, ...numbersReset, ...person })
    else {
      const lines = [
        reset && resetText(reset.numbers, phone),
        unlock && !isUnlocked && 'There was nothing to unlock.',
        revoke && 'Revoked: all grants, devices and codes of the account have ended.',
      ]
      process.stdout.write(textOf(subject, person, lines))
    }
    return unlock && !isUnlocked && !revoke ? 1 : 0
  })
}

/** Reports an invalid number as a usage error. */
function asUsageError(error: unknown): never {
  throw error instanceof TypeError
    ? new UsageError('--number must be a number with its country code.')
    : error
}

/** Asks the person at the terminal to confirm a revocation. */
async function isMeant(subject: string): Promise<boolean> {
  const terminal = openTerminal()
  try {
    if (!terminal.interactive) throw new UsageError('Without a terminal, --revoke needs --yes.')
    const answer = await terminal.ask(
      `Revoke everything of ${printable(subject)}, in every browser? yes or no`,
    )
    return answer === 'yes'
  } finally {
    terminal.close()
  }
}

async function showNumber({ inspection, namespace }: Where, spelled: string, json = false): Promise<number> {
  const seen = await inspection.number(spelled)
  if (typeof seen === 'string') throw new UsageError(`${printable(spelled)} is not a number: ${seen}.`)
  if (json) printJson({ number: spelled, namespace, ...seen })
  else process.stdout.write(`${numberText(spelled, seen)}\n`)
  return 0
}

const numberText = (spelled: string, seen: LedgerReport) =>
  seen.isKnown
    ? `The number ${printable(spelled)} at sign-up\n\n${describeLedger(seen).join('\n')}`
    : `No record of a sign-up with ${printable(spelled)}: a code may be sent.`

/** States what `--unlock` reset, with the number of the command, if it has one. */
function resetText(numbers: number, phone: string | undefined): string {
  const count = numbers - (phone === undefined ? 0 : 1)
  const ofCodes = `${count} ${count === 1 ? 'number that' : 'numbers that each'} received a code of this account`
  const named = [...(phone === undefined ? [] : [printable(phone)]), ...(count > 0 ? [ofCodes] : [])]
  const parts = [
    'lock or disabling, attempts and sends of the account',
    'its recovery attempts',
    ...(named.length > 0 ? [`the counters over all accounts of ${named.join(' and of ')}`] : []),
  ]
  return `Unlocked. Reset: ${parts.join('; ')}.`
}

function textOf(subject: string, person: PersonReport, done: readonly unknown[]): string {
  const shown = person.isKnown
    ? `The account ${printable(subject)}\n\n${describePerson(person).join('\n')}`
    : `No record of the account ${printable(subject)}. Does the option subject return exactly this id?`
  const number = person.number ? describeNumber(person.number) : withoutNumber
  return `${[...done, shown, ...number].filter((line) => typeof line === 'string').join('\n')}\n`
}
