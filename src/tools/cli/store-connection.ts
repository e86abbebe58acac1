import {
  type Inspection,
  listSecretUsers,
  openInspection,
  shortHashOf,
} from '../../challenge/operator/inspection.js'
import type { Store } from '../../store/store.js'
import { reasonOf } from './app-redis.js'
import { type AppStore, loadStore, openRedisStore } from './app-store.js'
import { type Flags, printJson, type Values } from './command-line.js'
import { describeRow, type Row, rowsAbout } from './findings.js'
import { loadFromApp } from './host-checks.js'
import { redisFailure } from './redis-check.js'
import { redisFlag, redisUrlOf } from './redis-flag.js'
import { describeSecretUsers } from './secret-users.js'
import { UsageError } from './usage-error.js'

/** Flags for work on the store of an app, without the app. */
export const storeFlags = {
  redisUrl: { ...redisFlag, help: 'Redis of the app; pass a password only in the variable' },
  store: { takes: '<module>', help: 'module that exports your own "store", instead of Redis' },
  secret: {
    takes: '<text>',
    variable: 'TWO_FACTOR_SECRET',
    help: 'secret of the app, or the last of its list; never read from the command line',
    secret: true,
  },
  namespace: { takes: '<name>', help: 'namespace of the app, if it has one' },
  json: { help: 'print the result as JSON' },
} as const satisfies Flags

/** A change that a command made. */
type Change = 'paused' | 'resumed' | 'unlocked' | 'revoked'

/** `unclear`: the store has not confirmed the change, and may have made it. */
type Changes = Partial<Record<Change, 'done' | 'unclear'>>

/** An open store, and the app's namespace in it. */
export interface Where {
  readonly inspection: Inspection
  readonly namespace: string
  /** Makes and records a change: a later failure must not look like a command without effect. */
  readonly change: <Result>(what: Change, make: () => Promise<Result>) => Promise<Result>
}

/** For the help of a command. */
export const exitCodes = `Exit codes: 0 success; 1 nothing was changed; 2 the command line is invalid; 3 the command failed after
it made, or perhaps made, the change that it prints.`

const { wrong } = rowsAbout('Store')

/** Works on the store of an app, or reports the obstacle and the changes made before it. */
export async function withInspection(
  values: Values<typeof storeFlags>,
  work: (where: Where) => Promise<number>,
): Promise<number> {
  const { namespace = '', json } = values
  const secret = process.env.TWO_FACTOR_SECRET ?? ''
  if (secret === '')
    throw new UsageError('secret is missing: set TWO_FACTOR_SECRET to the secret of the app.')
  const given = await openStore(values)
  if ('found' in given) return told(given, json)
  const { store, close } = given
  const changes: Changes = {}
  const change: Where['change'] = async (what, make) => {
    changes[what] = 'unclear'
    const result = await make()
    changes[what] = 'done'
    return result
  }
  try {
    const inspection = await openInspection({ store, secret, namespace })
    if (inspection === 'unknown-namespace') return told(unknownNamespace(namespace), json)
    if (inspection === 'other-secret') return told(await otherSecret(store, secret, namespace), json)
    return await work({ inspection, namespace, change })
  } catch (error) {
    return told(failureOf(error, values, changes), json, changes)
  } finally {
    // An error on close does not affect the result.
    await close().catch(() => undefined)
    // A module of the app may have open connections that this program cannot close.
    setTimeout(() => process.exit(), 1_000).unref()
  }
}

async function openStore(values: Values<typeof storeFlags>): Promise<AppStore | Row> {
  if (values.store !== undefined) return loadStore(values.store)
  const url = redisUrlOf(values)
  if (url !== undefined) return openRedisStore(url, loadFromApp)
  throw new UsageError('The store of the app is missing: set REDIS_URL, or pass --store <module>.')
}

const unknownNamespace = (namespace: string): Row =>
  wrong(
    'unknown_namespace',
    `no app has stored its deployment record here under the namespace "${namespace}". Nothing was changed`,
    'pass the option namespace of the app as --namespace, and check that this is the store of the app. If the store was emptied, a running app writes the record again within a minute: then run this again',
  )

/** The last process may be the one with the wrong secret, so the row accuses no machine. */
async function otherSecret(store: Store, secret: string, namespace: string): Promise<Row> {
  const users = await listSecretUsers(store, namespace, Date.now)
  const listed = users.length === 0 ? '' : `. Secrets by their short hash: ${describeSecretUsers(users)}`
  return wrong(
    'other_secret',
    `the process that started last under the namespace "${namespace}" uses another secret than this command, ${shortHashOf(secret, namespace)}${listed}. Nothing was changed`,
    `${users.length === 0 ? 'compare a hash of the secret on all machines' : 'compare the secrets'}. If only this command differs, set TWO_FACTOR_SECRET to the option secret of the app, or to the last of its list. If the machines differ, give all of them the same list`,
  )
}

/** Returns the row of a failed command. An unexpected error is a bug of ours, thrown if nothing was changed. */
function failureOf(error: unknown, { store }: Values<typeof storeFlags>, changes: Changes): Row {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  if (code === 'store_unavailable') {
    if (store === undefined) return redisFailure(error)
    return wrong('store_unusable', `${store} cannot be used: ${reasonOf(error)}`, 'check that it runs')
  }
  if (code === 'verification_in_progress') {
    return wrong('store_contended', 'is being changed by other commands', 'run this again')
  }
  if (Object.keys(changes).length === 0) throw error
  // Thrown, the error would end like a command that changed nothing.
  const text = error instanceof Error ? String(error.stack) : String(error)
  return rowsAbout('Program').wrong('program_fault', text, 'report it')
}

const states = { done: 'Done before the failure', unclear: 'Perhaps done' } as const

/** Prints the row, and returns the exit code. */
function told(row: Row, json = false, changes: Changes = {}): number {
  const made = Object.entries(changes)
  if (json) printJson({ failure: row, ...(made.length > 0 && { changes }) })
  else {
    const lines = made.map(([what, state]) => `${states[state]}: ${what}.\n`)
    process.stderr.write(`${describeRow(row, process.stderr)}\n${lines.join('')}`)
  }
  return made.length > 0 ? 3 : 1
}
