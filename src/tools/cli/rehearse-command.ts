import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { describeRehearsal, type RehearsalOptions, rehearse } from '../testing/index.js'
import { attacks } from '../testing/rehearsal/attacks.js'
import { recordSignIn } from '../testing/rehearsal/sign-in-recorder.js'
import { type Flags, printJson, readCommandLine } from './command-line.js'
import { UsageError, understand } from './usage-error.js'

const defaultPlan = 'rehearsal.mjs'

/** Returns the codes of the rows as a list, six in each line. */
const inLines = (codes: readonly string[]): string =>
  codes
    .map((code, index) => (index % 6 === 5 ? `${code},\n` : `${code}, `))
    .join('')
    .replace(/,\s*$/, '')

const flags = {
  plan: {
    takes: '<file>',
    help: `module whose default export is the plan; default: ${defaultPlan}`,
  },
  sandbox: {
    takes: '<port or url>',
    help: 'port of a new sandbox for the codes of the app, default 4010, or the URL of a running sandbox',
  },
  record: {
    takes: '<path>',
    help: 'attack nothing; you sign in once by hand, until this path, such as /two-factor,\nrequires a code, and the command prints the signIn of a plan',
  },
  only: {
    takes: '<a,b>',
    help: `rows to run, for a slow app or while you fix one of them:\n${inLines(attacks.map(({ code }) => code))}`,
  },
  all: { help: 'also attack the routes of the package, for an app with its own store, provider and page' },
  timeout: { takes: '<seconds>', help: 'default 120, at most 1800' },
  maxRequests: {
    takes: '<number>',
    help: 'at most 20000; below 5000 the bursts are smaller',
  },
  json: { help: 'print the result as JSON, each row with its stable code' },
} as const satisfies Flags

const usage = {
  name: 'rehearse <url>',
  about: `Attacks an app on this machine over HTTP, and reports each attack that succeeded with the fix and a request to
repeat it. It starts a sandbox for the codes of the app, or uses yours.`,
  flags,
  notes: `A plan for an app with users in its own database:

  export default {
    person: async (index) => users.add({ name: \`person-\${index}\`, password: 'sesame', phone: … }),
    signIn: (agent, { name, password }) => agent.post('/login', { name, password }),
    pages: ['/account'],
    actions: [{ name: 'transfer', path: '/transfers', body: { amount: 5 }, changed: { amount: 999 } }],
    state: ['/account'],
  }

It needs some hundred users, each with their own account and number. An object is posted as JSON;
for a form, post new URLSearchParams({ name, password }). docs/rehearsal.md lists every member.

Exit codes: 0 no attack succeeded of those that the plan allows; 1 an attack succeeded; 2 an attack could not be tried, as
the first line states, or the plan or the command line is invalid.`,
}

/** Rehearses a running app. */
export async function rehearseCommand(args: readonly string[]): Promise<number> {
  const [first = ''] = args
  const url = first.startsWith('-') ? undefined : first
  const values = await readCommandLine(usage, url === undefined ? args : args.slice(1))
  if (values === undefined) return 0
  if (url === undefined || url === '')
    throw new UsageError('The address of the app is missing: pass it, such as http://localhost:3000.')
  const { plan = defaultPlan, sandbox, record, only, all, timeout, maxRequests, json } = values
  if (record !== undefined) {
    const signIn = await understand(() => recordSignIn(url, record, askForSignIn))
    process.stdout.write(`${signIn}\n`)
    return 0
  }
  const given = await loadPlan(plan)
  const planned = typeof given.sandbox === 'object' ? given.sandbox : {}
  const isPort = /^\d+$/.test(sandbox ?? '')
  const options = {
    ...given,
    app: url,
    ...(sandbox !== undefined && { sandbox: isPort ? { ...planned, port: Number(sandbox) } : sandbox }),
    ...(only !== undefined && { only: only.split(',') }),
    ...(all === true && { all }),
    ...(timeout !== undefined && { timeoutMs: Number(timeout) * 1_000 }),
    ...(maxRequests !== undefined && { maxRequests: Number(maxRequests) }),
  }
  const rehearsal = await understand(() => rehearse(options)).catch((error) => {
    if (error?.code !== 'EADDRINUSE') throw error
    throw new UsageError(
      `Port ${error.port} is taken: pass --sandbox http://localhost:${error.port} if that is your sandbox, or another port.`,
    )
  })
  if (json) printJson(rehearsal)
  else process.stdout.write(`${describeRehearsal(rehearsal)}\n`)
  if (rehearsal.ok) return 0
  return rehearsal.hindrance === undefined ? 1 : 2
}

function askForSignIn(address: string): void {
  process.stderr.write(`Open ${address} and sign in once, until you are asked for a code.\n`)
}

async function loadPlan(file: string): Promise<RehearsalOptions> {
  const { href } = pathToFileURL(resolve(file))
  const module = await import(href).catch((error) => {
    if (error?.code !== 'ERR_MODULE_NOT_FOUND' || error.url !== href) throw error
    throw new UsageError(
      `The file ${file} does not exist: pass --plan <file>. --help describes its default export.`,
    )
  })
  if (typeof module.default !== 'object') throw new UsageError(`${file} has no default export.`)
  return module.default
}
