import { once } from 'node:events'
import { parseArgs } from 'node:util'
import { loadPhoneData } from '../phone-number.js'
import type { InboxMessage, Sandbox, SandboxOptions } from '../sandbox/index.js'
import { printable } from './quote.js'
import { UsageError, understand } from './usage.js'

const defaultPort = 4010

const help = `Usage: express-two-factor sandbox [options]

Runs the provider on this machine: all ten operations, and an inbox for texts and calls. Nothing is really
sent; each message is a line here as it arrives.

  --port <number>             ${defaultPort}; 0 takes a free one
  --host <address>            address to listen on; the loopback addresses without this
  --allowed-hosts <a,b>       Host headers to accept besides the loopback names
  --public-url <url>          where others reach it, for the addresses below and short URLs
  --base-path <path>          path of the operations, /v1
  --client <number>           client of the account, 100200
  --key <text>                key of the account, sandbox-key
  --credits <number>          initial credits, 1000
  --dialect <name>            spec (as documented) or observed (as seen in the field)
  --wrong-code <status>       HTTP status for a wrong code: 200, 400 or 520
  --approved-status <word>    status of a right code, verified; digits are a number, '"1"' is a string
  --resend <rule>             what a second send does to the code: repeat, replace or both
  --code-length <number>      4 to 10 characters, 6
  --code-alphabet <text>      characters of a code, 0123456789
  --code-lifetime-ms <number> how long a code is valid, 300000
  --app-names <a,b>           app names of the account; any without this
  --allowed-addresses <a,b>   caller addresses that the account allows
  --quiet                     no line for each message
  --json                      print one line of JSON instead of the table, and no messages
  --help                      this text
`

const flags = {
  port: { type: 'string' },
  host: { type: 'string' },
  'allowed-hosts': { type: 'string' },
  'public-url': { type: 'string' },
  'base-path': { type: 'string' },
  client: { type: 'string' },
  key: { type: 'string' },
  credits: { type: 'string' },
  dialect: { type: 'string' },
  'wrong-code': { type: 'string' },
  'approved-status': { type: 'string' },
  resend: { type: 'string' },
  'code-length': { type: 'string' },
  'code-alphabet': { type: 'string' },
  'code-lifetime-ms': { type: 'string' },
  'app-names': { type: 'string' },
  'allowed-addresses': { type: 'string' },
  quiet: { type: 'boolean' },
  json: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const

/** Runs a sandbox until it is interrupted. */
export async function sandboxCommand(args: readonly string[]): Promise<number> {
  const { values } = await understand(() => parseArgs({ args: [...args], options: flags }))
  if (values.help) {
    process.stdout.write(help)
    return 0
  }

  const number = (text: string | undefined) => (text === undefined ? undefined : Number(text))
  const list = (text: string | undefined) => text?.split(',').map((part) => part.trim())
  const options = {
    port: number(values.port) ?? defaultPort,
    host: values.host,
    allowedHosts: list(values['allowed-hosts']),
    publicUrl: values['public-url'],
    basePath: values['base-path'],
    credentials:
      values.client === undefined && values.key === undefined
        ? undefined
        : { client: number(values.client) ?? 100200, key: values.key ?? 'sandbox-key' },
    credits: number(values.credits),
    dialect: values.dialect,
    wrongCode: number(values['wrong-code']),
    approvedStatus: status(values['approved-status']),
    resend: values.resend,
    codeLength: number(values['code-length']),
    codeAlphabet: values['code-alphabet'],
    codeLifetimeMs: number(values['code-lifetime-ms']),
    appNames: list(values['app-names']),
    allowedAddresses: list(values['allowed-addresses']),
    onMessage: values.json || values.quiet ? undefined : await messagePrinter(),
  }

  const startSandbox = await loadSandbox()
  const sandbox = await understand(() => startSandbox(options as SandboxOptions)).catch(
    explainAddress(options),
  )
  // Listened to before anything is printed: a caller may interrupt as soon as it has read the addresses.
  const interrupted = Promise.race(signals.map((signal) => once(process, signal)))
  process.stdout.write(values.json ? `${JSON.stringify(factsOf(sandbox))}\n` : tableOf(sandbox))
  await interrupted
  await sandbox.close()
  return 0
}

/** Ctrl-C, the end of a container, of a terminal, and Ctrl-Break on Windows. */
const signals = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGBREAK'] as const

/** Digits are a number, as some services respond with; a string of digits is given in double quotes. */
function status(text: string | undefined): string | number | undefined {
  if (text !== undefined && /^\d{1,15}$/.test(text)) return Number(text)
  return text?.replace(/^"(.*)"$/, '$1')
}

async function loadSandbox(): Promise<typeof import('../sandbox/index.js').startSandbox> {
  try {
    return (await import('../sandbox/index.js')).startSandbox
  } catch (error) {
    const isMissing = error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND'
    if (!isMissing || !error.message.includes("'express'")) throw error
    throw new UsageError('The sandbox needs Express, which is not installed here: npm install express.')
  }
}

function explainAddress({ port, host }: { readonly port: number; readonly host: string | undefined }) {
  return (error: unknown): never => {
    const code = error instanceof Error && 'code' in error ? error.code : undefined
    if (code === 'EADDRINUSE') {
      throw new UsageError(`Port ${port} is taken: choose another one with --port, or 0 for any.`)
    }
    if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND') {
      throw new UsageError(`${host} is not an address of this machine: choose another one with --host.`)
    }
    throw error
  }
}

function factsOf({ inboxUrl, baseUrl, credentials, approvedStatuses }: Sandbox) {
  return { inboxUrl, baseUrl, credentials, approvedStatuses }
}

function tableOf({ inboxUrl, baseUrl, credentials, approvedStatuses }: Sandbox): string {
  return `The sandbox runs. Nothing is really sent.

  inbox             ${inboxUrl}
  baseUrl           ${baseUrl}
  client            ${credentials.client}
  key               ${credentials.key}
  approvedStatuses  ${JSON.stringify(approvedStatuses)}

Ctrl-C ends it.
`
}

const maxExcerpt = 60

/** Prints each message as one line: `12:04:31 sms → +57 300 123 4567 Acme 482913`. */
export async function messagePrinter(): Promise<(message: InboxMessage) => void> {
  const { parsePhoneNumberFromString } = await loadPhoneData()
  const spaced = (phone: string) => parsePhoneNumberFromString(phone)?.formatInternational() ?? phone
  return ({ at, channel, phone, appName, code, text }) => {
    const time = new Date(at).toLocaleTimeString('en-GB')
    const excerpt = text.length > maxExcerpt ? `${text.slice(0, maxExcerpt)}…` : text
    const content = [appName, code ?? excerpt].filter((part) => part !== undefined).join(' ')
    // A message is foreign text: an escape sequence in it must not reach the terminal.
    process.stdout.write(`${time} ${channel.padEnd(4)} → ${spaced(phone)} ${printable(content)}\n`)
  }
}
