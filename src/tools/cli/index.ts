#!/usr/bin/env node
import { version } from '../../lib/version.js'
import { UsageError } from './usage-error.js'

/** One command of the program. Resolves with its exit code. */
interface Command {
  readonly summary: string
  /** Loaded on call only: each command imports parts that other commands do not need. */
  readonly load: () => Promise<(args: readonly string[]) => Promise<number>>
}

const commands: Readonly<Record<string, Command>> = {
  sandbox: {
    summary: 'run the provider on this machine, with an inbox in the browser',
    load: async () => (await import('./sandbox-command.js')).sandboxCommand,
  },
  calibrate: {
    summary: 'measure the answers of your account to a right and a wrong code; costs one message',
    load: async () => (await import('./calibrate-command.js')).calibrateCommand,
  },
  doctor: {
    summary: 'check everything that could prevent codes from being delivered',
    load: async () => (await import('./doctor-command.js')).doctorCommand,
  },
  person: {
    summary: 'show the state of an account, unlock it, or revoke everything of it',
    load: async () => (await import('./person-command.js')).personCommand,
  },
  signups: {
    summary: 'pause and resume the codes of sign-ups in all processes',
    load: async () => (await import('./signups-command.js')).signupsCommand,
  },
  rehearse: {
    summary: 'attack an app on this machine, and report what to fix',
    load: async () => (await import('./rehearse-command.js')).rehearseCommand,
  },
}

const help = `Usage: express-two-factor <command> [options]

${Object.entries(commands)
  .map(([name, { summary }]) => `  ${name.padEnd(10)} ${summary}`)
  .join('\n')}

express-two-factor <command> --help lists the options of a command.
`

/** Runs a command line. Resolves with the exit code: 0 done, 1 failed, 2 invalid command line. */
async function run(args: readonly string[]): Promise<number> {
  const [name, ...rest] = args
  if (name === undefined || name === '--help' || name === '-h' || name === 'help') {
    process.stdout.write(help)
    return name === undefined ? 2 : 0
  }
  if (name === '--version') {
    process.stdout.write(`${version}\n`)
    return 0
  }
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined
  if (command === undefined) {
    process.stderr.write(`Unknown command ${JSON.stringify(name)}.\n\n${help}`)
    return 2
  }
  try {
    const perform = await command.load()
    return await perform(rest)
  } catch (error) {
    if (!(error instanceof UsageError)) throw error
    process.stderr.write(`${error.message}\nexpress-two-factor ${name} --help lists the options.\n`)
    return 2
  }
}

process.exitCode = await run(process.argv.slice(2))
