import { once } from 'node:events'
import { present } from '../../lib/json.js'
import { loadPhoneData } from '../../phone-number.js'
import type { InboxMessage, Sandbox, SandboxOptions } from '../sandbox/index.js'
import { type Flag, type Flags, readCommandLine } from './command-line.js'
import { printable } from './quote.js'
import { UsageError, understand } from './usage-error.js'

const defaultPort = 4010

const flags = {
  port: { takes: '<number>', help: `default ${defaultPort}; 0 selects a free port` },
  host: { takes: '<address>', help: 'address to listen on; default: the loopback addresses' },
  allowedHosts: { takes: '<a,b>', help: 'Host headers to accept besides the loopback names' },
  publicUrl: {
    takes: '<url>',
    help: 'URL at which other machines reach it, for the printed addresses and short URLs',
  },
  basePath: { takes: '<path>', help: 'path of the operations, /v1' },
  client: { takes: '<number>', help: 'client of the account, 100200' },
  key: { takes: '<text>', help: 'key of the account, sandbox-key' },
  credits: { takes: '<number>', help: 'initial credits, 1000' },
  dialect: { takes: '<name>', help: 'spec (as documented) or observed (as seen in the field)' },
  wrongCode: { takes: '<status>', help: 'HTTP status for a wrong code: 200, 400 or 520' },
  approvedStatus: {
    takes: '<word>',
    help: `status of a right code, verified; digits are a number, '"1"' is a string`,
  },
  resend: { takes: '<rule>', help: 'effect of a second send on the code: repeat, replace or both' },
  codeLength: { takes: '<number>', help: '4 to 10 characters, 6' },
  codeAlphabet: { takes: '<text>', help: 'characters of a code, 0123456789' },
  codeLifetimeMs: { takes: '<number>', help: 'how long a code is valid, 300000' },
  appNames: { takes: '<a,b>', help: 'app names of the account; default: any' },
  allowedAddresses: { takes: '<a,b>', help: 'caller addresses that the account allows' },
  quiet: { help: 'no line for each message' },
  json: { help: 'print one line of JSON instead of the table, and no messages' },
} as const satisfies Flags

const usage = {
  name: 'sandbox',
  about: `Runs the provider on this machine: all ten operations, and an inbox for texts and calls. It sends
nothing to real phones, and prints each message as a line.`,
  flags,
}

/** Runs a sandbox until it is interrupted. */
export async function sandboxCommand(args: readonly string[]): Promise<number> {
  const values = await readCommandLine(usage, args)
  if (values === undefined) return 0
  const { client, key, quiet, json, ...texts } = values
  const given = Object.entries<string>(present(texts))
  const options = {
    port: defaultPort,
    ...Object.fromEntries(given.map(([name, text]) => [name, meant(name as keyof typeof flags, text)])),
    ...((client !== undefined || key !== undefined) && {
      credentials: { client: Number(client ?? 100200), key: key ?? 'sandbox-key' },
    }),
    ...(!json && !quiet && { onMessage: await messagePrinter() }),
  }
  const startSandbox = await loadSandbox()
  const sandbox = await understand(() => startSandbox(options as SandboxOptions)).catch((error) =>
    explainAddress(error, options),
  )
  // Before anything is printed: a caller may interrupt after it has read the addresses.
  const interrupted = Promise.race(signals.map((signal) => once(process, signal)))
  process.stdout.write(json ? `${JSON.stringify(factsOf(sandbox))}\n` : tableOf(sandbox))
  await interrupted
  await sandbox.close()
  return 0
}

/** Parses a value. */
function meant(name: keyof typeof flags, text: string): unknown {
  const { takes }: Flag = flags[name]
  // Number('') is 0: an unset variable must not mean any free port, or an empty account.
  if (takes === '<number>' || takes === '<status>') return text.trim() === '' ? Number.NaN : Number(text)
  if (takes === '<a,b>') return text.split(',').map((part) => part.trim())
  if (name !== 'approvedStatus') return text
  // Digits are a number, as in the responses of some services. Double quotes make them a string.
  return /^\d{1,15}$/.test(text) ? Number(text) : text.replace(/^"(.*)"$/, '$1')
}

/** Ctrl-C, end of a container, end of a terminal, and Ctrl-Break on Windows. */
const signals = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGBREAK'] as const

async function loadSandbox(): Promise<typeof import('../sandbox/index.js').startSandbox> {
  try {
    return (await import('../sandbox/index.js')).startSandbox
  } catch (error) {
    const isMissing = error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND'
    if (!isMissing || !error.message.includes("'express'")) throw error
    throw new UsageError('The sandbox needs Express, which is not installed here: npm install express.')
  }
}

function explainAddress(error: NodeJS.ErrnoException, { port, host }: SandboxOptions): never {
  if (error.code === 'EADDRINUSE') {
    throw new UsageError(`Port ${port} is taken: choose another one with --port, or 0 for any.`)
  }
  if (error.code === 'EADDRNOTAVAIL' || error.code === 'ENOTFOUND') {
    throw new UsageError(`${host} is not an address of this machine: choose another one with --host.`)
  }
  throw error
}

function factsOf({ inboxUrl, baseUrl, credentials, approvedStatuses }: Sandbox) {
  return { inboxUrl, baseUrl, credentials, approvedStatuses }
}

function tableOf({ inboxUrl, baseUrl, credentials, approvedStatuses }: Sandbox): string {
  return `The sandbox is running. It sends nothing to real phones.

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
async function messagePrinter(): Promise<(message: InboxMessage) => void> {
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
