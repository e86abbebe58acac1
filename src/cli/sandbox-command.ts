import { once } from 'node:events'
import { parseArgs } from 'node:util'
import { type Sandbox, type SandboxOptions, startSandbox } from '../sandbox/index.js'
import { UsageError, understand } from './usage.js'

const defaultPort = 4010

const help = `Usage: express-two-factor sandbox [options]

Runs the provider on this simulation: all ten operations, an inbox for the texts and calls, nothing really sent.

  --port <number>             ${defaultPort}; 0 takes a free one
  --client <number>           client of the account, 100200
  --key <text>                key of the account, sandbox-key
  --credits <number>          credits to begin with, 1000
  --dialect <name>            spec (as documented) or observed (as seen in the field)
  --wrong-code <status>       answer to a wrong code: 200, 400 or 520
  --approved-status <word>    answer to a right code: verified
  --resend <rule>             a second send may repeat, replace or keep both codes
  --code-length <number>      4 to 10 characters, 6
  --code-alphabet <text>      characters of a code, 0123456789
  --code-lifetime-ms <number> life of a code, 300000
  --app-names <a,b>           app-names the account knows; any without this
  --allowed-addresses <a,b>   caller addresses the account allows
  --json                      print one line of JSON instead of the table
  --help                      this text
`

const flags = {
  port: { type: 'string' },
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
    credentials:
      values.client === undefined && values.key === undefined
        ? undefined
        : { client: number(values.client) ?? 100200, key: values.key ?? 'sandbox-key' },
    credits: number(values.credits),
    dialect: values.dialect,
    wrongCode: number(values['wrong-code']),
    approvedStatus: values['approved-status'],
    resend: values.resend,
    codeLength: number(values['code-length']),
    codeAlphabet: values['code-alphabet'],
    codeLifetimeMs: number(values['code-lifetime-ms']),
    appNames: list(values['app-names']),
    allowedAddresses: list(values['allowed-addresses']),
  }

  const sandbox = await understand(() => startSandbox(options as SandboxOptions)).catch(
    explainPort(options.port),
  )
  // Listened to before anything is printed: who reads the addresses may interrupt at once.
  const interrupted = Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')])
  process.stdout.write(values.json ? `${JSON.stringify(factsOf(sandbox))}\n` : tableOf(sandbox))
  await interrupted
  await sandbox.close()
  return 0
}

function explainPort(port: number) {
  return (error: unknown): never => {
    if (!(error instanceof Error && 'code' in error && error.code === 'EADDRINUSE')) throw error
    throw new UsageError(`Port ${port} is taken: choose another one with --port, or 0 for any.`)
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
