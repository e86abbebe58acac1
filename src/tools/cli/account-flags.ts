import {
  type ClientOptions,
  createClient,
  type NumberFormat,
  type ProviderClient,
  ProviderError,
} from '../../provider/index.js'
import { type Asked, askForMissing, type Flag, type Values } from './command-line.js'
import { openTerminal, type Terminal } from './terminal.js'
import { UsageError, understand } from './usage-error.js'

/** Flags that a connection to the provider needs. */
export const accountFlags = {
  baseUrl: {
    takes: '<url>',
    variable: 'TWO_FACTOR_BASE_URL',
    help: 'address of the provider, with its version segment',
    question: 'Base URL of the provider, such as https://api.example.com/v1',
    problem: (baseUrl) => clientProblem({ baseUrl }),
  },
  client: {
    takes: '<number>',
    variable: 'TWO_FACTOR_CLIENT',
    help: 'client of the account',
    question: 'Client of the account',
    problem: (client) => clientProblem({ client }),
  },
  key: {
    takes: '<text>',
    variable: 'TWO_FACTOR_KEY',
    help: 'key of the account; never read from the command line',
    question: 'Key of the account (TWO_FACTOR_KEY)',
    secret: true,
  },
  path: {
    takes: '<op>=<path>',
    help: `path of an operation, if it differs from the documentation, such as
verifyCode=/2fa/check; may be given several times`,
    many: true,
  },
} as const satisfies Record<string, Flag>

/** Returns the client's objection to one of its options, or to a request that must not be sent. */
async function clientProblem(
  option: Partial<ClientOptions>,
  ask?: (client: ProviderClient) => Promise<unknown>,
): Promise<string | undefined> {
  try {
    const client = createClient({ baseUrl: 'https://api.example.com/v1', client: 1, key: 'key', ...option })
    await ask?.(client)
    return undefined
  } catch (error) {
    if (error instanceof TypeError) return `${error.message.replace(/^\w+: /, '')}.`
    if (error instanceof ProviderError) return undefined
    throw error
  }
}

/** Returns the client's objection to a number as typed. The signal is aborted, so nothing is sent. */
export function phoneProblem(spelled: string): Promise<string | undefined> {
  const signal = AbortSignal.abort()
  const to = { phone: compact(spelled), appName: 'none' }
  return clientProblem({}, (client) => client.sendSmsCode(to, { signal }))
}

/** Returns a number without the separators that people type between its digits. */
export function compact(phone: string): string {
  return phone.replaceAll(/[\s().-]/g, '')
}

/** Reads `verifyCode=/2fa/check` as `{ verifyCode: '/2fa/check' }`, which the client checks. */
function readPaths(given: readonly string[] = []): Readonly<Record<string, string>> {
  return Object.fromEntries(
    given.map((text) => {
      const [, operation, path] = /^(\w+)=(.*)$/.exec(text) ?? []
      if (operation !== undefined && path !== undefined) return [operation, path]
      throw new UsageError('path must be an operation and its path, such as verifyCode=/2fa/check.')
    }),
  )
}

/** Asks for missing values, and runs the work with a client of the account. */
export async function withClient<Given extends typeof accountFlags>(
  flags: Given,
  values: Values<Given>,
  work: (client: ProviderClient, found: Asked<Given>, terminal: Terminal) => Promise<number>,
  numberFormat?: string,
): Promise<number> {
  const paths = readPaths(values.path)
  const terminal = openTerminal()
  try {
    const found = await askForMissing(flags, values, terminal)
    const { baseUrl, client, key } = found as Asked<typeof accountFlags>
    const options = { baseUrl, client, key, paths, numberFormat: numberFormat as NumberFormat | undefined }
    const provider = await understand(() => createClient(options))
    try {
      return await work(provider, found, terminal)
    } finally {
      await provider.close()
    }
  } finally {
    terminal.close()
  }
}
