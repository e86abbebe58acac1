import { TwoFactorError } from '../../errors.js'
import { withinDeadline } from '../../lib/promises.js'
import { isError } from '../../lib/realms.js'
import { clockLeewayMs, minuteMs } from '../../lib/time.js'
import type { Finding, Store } from '../../store/store.js'
import type { Domain } from '../domain.js'
import { type CodeProvider, type InspectedApp, membersOf } from '../exchange/code-provider.js'
import { storeCause } from '../store-cause.js'
import { newCommandId } from '../updater.js'

export type { Finding }

/** Problems that an operator should fix before users notice them. */
export interface SelfTest {
  /** True if there are no findings. */
  readonly ok: boolean
  /** The findings. They contain no secret. */
  readonly findings: readonly Finding[]
}

const balanceMs = 10_000
/** An inspection sends several commands to the store. */
const inspectionMs = 5_000

/** Checks everything that could prevent codes from being delivered. Sends no code and never rejects. */
export async function selfTest(
  domain: Pick<Domain, 'namespace' | 'store' | 'keys' | 'now'>,
  provider: CodeProvider,
  app: InspectedApp,
  /** Returns the findings about the options and the requests so far. */
  settings: () => readonly Finding[],
): Promise<SelfTest> {
  const { store, keys, now } = domain
  const found = await Promise.all([
    findingOf(() => withinDeadline(balanceMs, () => creditsLeft(provider)), {
      code: 'provider_failed',
      fix: 'check baseUrl, client, key and the address allow-list of the account',
    }),
    findingOf(() => storeKeepsWord(store, keys.counter('count-auth-self-test', newCommandId())), {
      code: 'store_failed',
      fix: 'check that the store runs and can be reached, and check its permissions',
    }),
    findingOf(async () => clockAgrees(now), {
      code: 'clock_failed',
      fix: 'remove the option `now`',
    }),
    findingOf(() => inspectStore(domain), {
      code: 'store_not_inspected',
      fix: 'check that the store runs and can be reached, and check its permissions',
    }),
    // Inspected separately, so that a failing member does not hide the findings of the others.
    ...membersOf(provider).map((one) =>
      findingOf(() => withinDeadline(inspectionMs, async () => (await one.inspect?.(app)) ?? []), {
        code: 'provider_not_inspected',
        // A fixed text, because the error's own message may contain a key.
        message: 'The method `inspect` of a CodeProvider failed.',
        fix: 'let `inspect` of the CodeProvider resolve with a list',
      }),
    ),
  ])
  const findings = [...found.flat(), ...settings()]
  return { ok: findings.length === 0, findings }
}

/** Returns the findings of the store about itself. Rejects if the store does not respond. */
export function inspectStore({
  store,
  namespace,
}: Pick<Domain, 'namespace' | 'store'>): Promise<readonly Finding[]> {
  return withinDeadline(inspectionMs, async () => (await store.inspect?.(namespace)) ?? [])
}

async function findingOf(
  check: () => Promise<readonly Finding[]>,
  failure: Omit<Finding, 'message'> & Partial<Finding>,
): Promise<readonly Finding[]> {
  try {
    return await check()
  } catch (error) {
    return [{ message: messageOf(error), ...failure }]
  }
}

/** The cause names what to mend in a store that does not respond, and contains no secret. */
function messageOf(error: unknown): string {
  if (error instanceof TwoFactorError && error.code === 'store_unavailable')
    return `${error.message} (${storeCause(error)})`
  return isError(error) ? error.message : String(error)
}

async function creditsLeft(provider: CodeProvider): Promise<readonly Finding[]> {
  const credits = (await provider.balance?.())?.credits
  if (credits === undefined || credits > 0) return []
  const message = 'The account has no credits left: no code will be sent.'
  return [{ code: 'no_credits', message, fix: 'top up the account' }]
}

async function storeKeepsWord(store: Store, key: string): Promise<readonly Finding[]> {
  const first = await store.swap(key, undefined, { kept: 1 }, minuteMs)
  const second = await store.swap(key, undefined, { kept: 2 }, minuteMs)
  const entry = await store.read(key)
  if (entry !== undefined) await store.swap(key, entry.version, undefined, minuteMs)
  const kept = JSON.stringify(entry?.value) === '{"kept":1}'
  if (first.swapped && !second.swapped && kept) return []
  const message = 'The store loses writes or overwrites entries.'
  return [{ code: 'store_unfit', message, fix: 'run storeContract of express-two-factor/testing against it' }]
}

function clockAgrees(now: () => number): readonly Finding[] {
  const byMs = Math.abs(now() - Date.now())
  if (byMs <= clockLeewayMs) return []
  const message = `The option \`now\` differs from the clock of this machine by ${byMs} ms.`
  return [{ code: 'clock_differs', message, fix: 'remove the option `now`, and run NTP' }]
}
