import type { TwoFactorOptions } from '../../src/index.js'
import type { Answer, Browser } from './browser.js'
import { type Host, type HostOptions, startHost } from './kit.js'

/** A host that keeps recovery codes, and a route behind each kind of guard. */
export interface RecoveryHost extends Host {
  /** Ana's codes, as they were shown to her. */
  readonly codes: readonly string[]
  /** The hashes that are left. */
  readonly kept: Set<string>
  /** What `consume` was asked, in order. */
  readonly asked: string[]
}

export async function startRecoveryHost(
  given: HostOptions & {
    /** In place of the host's own answer, which it gets. */
    readonly consume?: (consumed: () => boolean) => unknown
  } = {},
): Promise<RecoveryHost> {
  const kept = new Set<string>()
  const asked: string[] = []
  const recoveryCodes: TwoFactorOptions['recoveryCodes'] = {
    consume(_subject, hash) {
      asked.push(hash)
      const consumed = () => kept.delete(hash)
      return (given.consume ?? ((own: () => boolean) => own()))(consumed) as boolean
    },
    remaining: () => kept.size,
  }
  const host = await startHost({
    ...given,
    listens: true,
    options: { recoveryCodes, ...given.options },
  })
  const { codes, hashes } = host.tf.recoveryCodes.generate('ana')
  for (const hash of hashes) kept.add(hash)
  return { ...host, codes, kept, asked }
}

export const recover = (browser: Browser, recoveryCode: unknown, more: object = {}): Promise<Answer> =>
  browser.post('/two-factor/verify', { recoveryCode, ...more })

/** One that nobody has. */
export const wrongCode = (index = 0): string => `WRNG${'0123456789ABCDEFGHJK'[index]}`.padEnd(24, 'Z')
