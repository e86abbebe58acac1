import { type ParseArgsConfig, parseArgs } from 'node:util'
import { version } from '../../lib/version.js'
import type { Terminal } from './terminal.js'
import { secretShown, UsageError, understand } from './usage-error.js'

/** One option of a command. An option without a value is a switch. */
export interface Flag {
  /** Placeholder of the value in the help, such as `<number>`. */
  readonly takes?: string
  /** Environment variable that supplies the value if the command line does not. */
  readonly variable?: string
  /** A line of the help, or several. */
  readonly help: string
  /** If true, the option may be repeated. */
  readonly many?: true
  /** If true, never read from the command line, where every process of the machine can read it. */
  readonly secret?: true
  /** The question if no value is given. An option without a question is optional. */
  readonly question?: string
  readonly byDefault?: string
  /** Returns the problem of an answer, before the next question. */
  readonly problem?: (answer: string) => string | undefined | Promise<string | undefined>
}

/** The options of a command, by their names in code: `baseUrl` is `--base-url`. */
export type Flags = Readonly<Record<string, Flag>>

type Value<Given extends Flag> = Given extends { takes: string }
  ? Given extends { many: true }
    ? readonly string[]
    : string
  : boolean

/** Values from a command line. */
export type Values<Given extends Flags> = { readonly [Name in keyof Given]?: Value<Given[Name]> | undefined }

/** A command as its help describes it. */
export interface Usage<Given extends Flags> {
  readonly name: string
  readonly about: string
  readonly flags: Given
  readonly notes?: string
}

const common = {
  version: { help: 'print the version of this package' },
  help: { help: 'this text' },
} as const satisfies Flags

const optionOf = (name: string) => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)

/** Reads a command line. Returns undefined after it has printed the help or the version. */
export async function readCommandLine<Given extends Flags>(
  usage: Usage<Given>,
  args: readonly string[],
): Promise<Values<Given> | undefined> {
  const flags = Object.entries<Flag>({ ...usage.flags, ...common })
  const options = flags.map(([name, { takes, many = false }]) => {
    const short = name === 'help' ? { short: 'h' } : {}
    return [optionOf(name), { type: takes === undefined ? 'boolean' : 'string', multiple: many, ...short }]
  })
  const config: ParseArgsConfig = { args: [...args], options: Object.fromEntries(options) }
  const values: Readonly<Record<string, unknown>> = await understand(() => parseArgs(config).values)
  if (values.help || values.version) {
    process.stdout.write(values.help ? helpOf(usage) : `${version}\n`)
    return undefined
  }
  for (const [name, { secret, variable = '' }] of flags) {
    if (secret && values[name] !== undefined) throw secretShown(`--${name}`, variable)
  }
  return Object.fromEntries(flags.map(([name]) => [name, values[optionOf(name)]])) as Values<Given>
}

function helpOf({ name, about, flags, notes = '' }: Usage<Flags>): string {
  const rows = Object.entries<Flag>({ ...flags, ...common }).map(
    ([flag, { takes = '', variable = '', secret, help }]) => {
      return [secret ? '' : `--${optionOf(flag)} ${takes}`.trim(), variable, help] as const
    },
  )
  const widthOf = (column: 0 | 1) =>
    Math.max(...rows.map((row) => row[column].length && row[column].length + 2))
  const [first, second] = [widthOf(0), widthOf(1)]
  const lines = rows.map(([option, variable, help]) => {
    const indent = `\n${' '.repeat(2 + first + second)}`
    return `  ${option.padEnd(first)}${variable.padEnd(second)}${help.replaceAll('\n', indent)}`
  })
  return `Usage: express-two-factor ${name} [options]\n\n${about}\n\n${lines.join('\n')}\n${notes && `\n${notes}\n`}`
}

/** Values that were given or asked for. */
export type Asked<Given extends Flags> = {
  [Name in keyof Given as Given[Name] extends { question: string } ? Name : never]: string
}

/** Asks for each missing value that has a question. Without a terminal, lists how to supply them. */
export async function askForMissing<Given extends Flags>(
  flags: Given,
  values: Values<Given>,
  terminal: Terminal,
): Promise<Asked<Given>> {
  const wanted = Object.entries<Flag>(flags).filter(([, { question }]) => question !== undefined)
  const given = new Map(wanted.map(([name, { variable = '' }]) => [name, givenValue(values[name], variable)]))
  const missing = wanted.filter(([name, { byDefault }]) => (given.get(name) ?? byDefault) === undefined)
  // A secret may still arrive as a line of the pipe.
  if (!terminal.interactive && missing.some(([, { secret }]) => !secret)) {
    throw new UsageError(missing.map(([name, flag]) => howToGive(name, flag)).join('\n'))
  }
  const found: Record<string, string> = {}
  for (const [name, flag] of wanted) found[name] = given.get(name) ?? (await askFor(flag, terminal))
  return found as Asked<Given>
}

/** Treats an empty variable as absent, because a shell omits a value this way. */
function givenValue(value: unknown, variable: string): string | undefined {
  return [value, process.env[variable]].find(
    (text): text is string => typeof text === 'string' && text !== '',
  )
}

function howToGive(name: string, { variable, secret }: Flag): string {
  const manner = secret
    ? `set ${variable}, or give it as the first line of the standard input`
    : `pass --${optionOf(name)} or set ${variable}`
  return `${name} is missing: ${manner}.`
}

async function askFor(
  { question = '', byDefault, secret, problem }: Flag,
  terminal: Terminal,
): Promise<string> {
  if (byDefault !== undefined && !terminal.interactive) return byDefault
  for (;;) {
    const answer = await terminal.ask(question, { hidden: secret, byDefault })
    const wrong = terminal.interactive ? await problem?.(answer) : undefined
    if (wrong === undefined) return answer
    terminal.say(wrong)
  }
}

/** Prints a result for programs, with the version of the package. */
export function printJson(result: object): void {
  process.stdout.write(`${JSON.stringify({ version, ...result }, undefined, 2)}\n`)
}
