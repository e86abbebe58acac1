import { type ClientOptions, resolveClientOptions } from '../provider/client-options.js'
import { phone as phoneSchema } from '../provider/parameter-schemas.js'
import type { Terminal } from './terminal.js'
import { secretShown, UsageError } from './usage.js'

/** Something that a command has to know: an option gives it, else a variable, else whoever is asked. */
export interface Need {
  readonly option: string
  readonly variable: string
  readonly question: string
  readonly byDefault?: string
  /** What is wrong with an answer, if anything: asked before the next question. */
  readonly problem?: (answer: string) => string | undefined
  /** Never on the command line, where every process of the machine reads it. */
  readonly secret?: true
}

type Options = Readonly<Record<string, string | undefined>>

/** What it takes to speak to the provider. */
export const accountNeeds = {
  baseUrl: {
    option: 'base-url',
    variable: 'TWO_FACTOR_BASE_URL',
    question: 'Base URL of the provider, such as https://api.example.com/v1',
    problem: (answer) => clientProblem({ baseUrl: answer }),
  },
  client: {
    option: 'client',
    variable: 'TWO_FACTOR_CLIENT',
    question: 'Client of the account',
    problem: (answer) => clientProblem({ client: answer }),
  },
  key: {
    option: 'key',
    variable: 'TWO_FACTOR_KEY',
    question: 'Key of the account (TWO_FACTOR_KEY)',
    secret: true,
  },
} as const satisfies Record<string, Need>

/** Finds every value, or says of all that are missing how to give them. */
export async function resolveNeeds<Name extends string>(
  needs: Readonly<Record<Name, Need>>,
  options: Options,
  terminal: Terminal,
): Promise<Readonly<Record<Name, string>>> {
  const entries = Object.entries<Need>(needs)
  const given = new Map(entries.map(([name, need]) => [name, givenValue(need, options)]))
  const missing = entries.filter(([name, { byDefault }]) => (given.get(name) ?? byDefault) === undefined)
  // A secret may still come as a line of the pipe.
  if (!terminal.interactive && missing.some(([, { secret }]) => !secret)) {
    throw new UsageError(missing.map(([name, need]) => howToGive(name, need)).join('\n'))
  }
  const resolved: Record<string, string> = {}
  for (const [name, need] of entries) resolved[name] = given.get(name) ?? (await askFor(need, terminal))
  return resolved as Record<Name, string>
}

function howToGive(name: string, { option, variable, secret }: Need): string {
  const manner = secret
    ? `set ${variable}, or give it as the first line of the standard input`
    : `pass --${option} or set ${variable}`
  return `${name} is missing: ${manner}.`
}

function givenValue(need: Need, options: Options): string | undefined {
  const { option, variable, secret } = need
  const onCommandLine = options[option]
  if (secret && onCommandLine !== undefined) {
    throw secretShown(`--${option}`, variable)
  }
  // A variable set to nothing is how a shell leaves one out.
  return [onCommandLine, process.env[variable]].find((text) => typeof text === 'string' && text !== '')
}

async function askFor(need: Need, terminal: Terminal): Promise<string> {
  const { question, byDefault, secret, problem } = need
  if (byDefault !== undefined && !terminal.interactive) return byDefault
  for (;;) {
    const answer = await terminal.ask(question, { hidden: secret, byDefault })
    const wrong = terminal.interactive ? problem?.(answer) : undefined
    if (wrong === undefined) return answer
    terminal.say(wrong)
  }
}

const fitting = { baseUrl: 'https://api.example.com/v1', client: 1, key: 'key' }

/** What the client would say about one of its options. */
function clientProblem(option: Partial<ClientOptions>): string | undefined {
  try {
    resolveClientOptions({ ...fitting, ...option })
    return undefined
  } catch (error) {
    if (error instanceof TypeError) return `${error.message.replace(/^\w+: /, '')}.`
    throw error
  }
}

/** What the client would say about a number, as it is typed. */
export function phoneProblem(spelled: string): string | undefined {
  const { error } = phoneSchema().safeParse(compact(spelled))
  return error && `phone ${error.issues[0]?.message}.`
}

export function channelProblem(channel: string): string | undefined {
  return channel === 'sms' || channel === 'call' ? undefined : 'channel must be sms or call.'
}

/** A number without what people put between its digits. */
export function compact(phone: string): string {
  return phone.replaceAll(/[\s().-]/g, '')
}

/** An option for an account whose operations lie elsewhere. May be given once per operation. */
export const pathFlag = { type: 'string', multiple: true } as const

/** The option `paths` of the client, which checks it: `verifyCode=/2fa/check` becomes `{ verifyCode: '/2fa/check' }`. */
export function readPaths(given: readonly string[] = []): Readonly<Record<string, string>> {
  return Object.fromEntries(
    given.map((text) => {
      const [, operation, path] = /^(\w+)=(.*)$/.exec(text) ?? []
      if (operation !== undefined && path !== undefined) return [operation, path]
      throw new UsageError('path must be an operation and its path, such as verifyCode=/2fa/check.')
    }),
  )
}
