import { type Desk, openDesk } from '../../challenge/desk.js'
import { reasonOf } from './app-redis.js'
import { type AppStore, loadStore, openRedisStore } from './app-store.js'
import { type Flags, printJson, type Values } from './command-line.js'
import { describeRow, type Row, rowsAbout } from './findings.js'
import { loadFromApp } from './host-checks.js'
import { redisFailure } from './redis-check.js'
import { redisFlag, redisUrlOf } from './redis-flag.js'
import { UsageError } from './usage-error.js'

/** What it takes to work on what an app keeps, without the app. */
export const deskFlags = {
  redisUrl: { ...redisFlag, help: 'Redis of the app; a password only in the variable' },
  store: { takes: '<module>', help: 'in its place: a module of yours that exports "store"' },
  secret: {
    takes: '<text>',
    variable: 'TWO_FACTOR_SECRET',
    help: 'secret of the app, where it has several the last; never taken from the command line',
    secret: true,
  },
  namespace: { takes: '<name>', help: 'namespace of the app, if it has one' },
  json: { help: 'print the result as JSON' },
} as const satisfies Flags

/** Which app in that store. */
export interface Where {
  readonly desk: Desk
  readonly namespace: string
}

const { wrong } = rowsAbout('Store')

/** Works on what an app keeps, or says what is in the way, and changes nothing then. */
export async function withDesk(
  values: Values<typeof deskFlags>,
  work: (where: Where) => Promise<number>,
): Promise<number> {
  const { namespace = '', json } = values
  const secret = process.env.TWO_FACTOR_SECRET ?? ''
  if (secret === '') throw new UsageError('secret is missing: set TWO_FACTOR_SECRET to that of the app.')
  const given = await openStore(values).catch((error: unknown) => failureOf(error, values))
  if ('found' in given) return told(given, json)
  const { store, close } = given
  try {
    const desk = await openDesk({ store, secret, namespace })
    if (typeof desk === 'string') return told(noDesk[desk](namespace), json)
    return await work({ desk, namespace })
  } catch (error) {
    return told(failureOf(error, values), json)
  } finally {
    await close()
    // A module of the host may hold connections that nobody told us how to end.
    setTimeout(() => process.exit(), 1_000).unref()
  }
}

async function openStore(values: Values<typeof deskFlags>): Promise<AppStore | Row> {
  if (values.store !== undefined) return loadStore(values.store)
  const url = redisUrlOf(values)
  if (url !== undefined) return openRedisStore(url, loadFromApp)
  throw new UsageError('The store of the app is missing: set REDIS_URL, or pass --store <module>.')
}

const noDesk = {
  'unknown-namespace': (namespace: string) =>
    wrong(
      'unknown_namespace',
      `no app has left word here under the namespace "${namespace}". Nothing was changed`,
      'pass its option namespace as --namespace, and see that this is the store that it uses',
    ),
  'other-secret': (namespace: string) =>
    wrong(
      'other_secret',
      `the app under the namespace "${namespace}" has another secret. Nothing was changed`,
      'set TWO_FACTOR_SECRET to its option secret, where it has several to the last',
    ),
} as const

/** What stops a command that was understood. Any other error is a fault of ours, and is thrown. */
function failureOf(error: unknown, { store }: Values<typeof deskFlags>): Row {
  const isOfStore = error instanceof Error && 'code' in error && error.code === 'store_unavailable'
  if (error instanceof UsageError || (store !== undefined && !isOfStore)) throw error
  if (store === undefined) return redisFailure(error)
  return wrong('store_unusable', `${store} cannot be used: ${reasonOf(error)}`, 'see that it runs')
}

function told(row: Row, json = false): number {
  if (json) printJson({ failure: row })
  else process.stderr.write(`${describeRow(row, process.stderr)}\n`)
  return 1
}
