import type { ProviderClient } from '../../provider/index.js'
import { describeRow, type Row } from './findings.js'
import { clockRow, expressRow, type LoadFromApp, runtimeRow } from './host-checks.js'
import { balanceRow } from './provider-checks.js'
import { redisRows } from './redis-check.js'

/** Findings of the doctor. `--json` prints this object. */
export interface Report {
  readonly ok: boolean
  readonly rows: readonly Row[]
  /** Parts that the doctor cannot check, so that a missing row does not pass for health. */
  readonly notLookedAt: readonly { readonly code: string; readonly text: string }[]
}

const notLookedAt = [
  {
    code: 'codes',
    text: 'whether codes arrive, and the answers of the account: npx express-two-factor calibrate',
  },
  {
    code: 'app',
    text: 'options, cookie, proxies, store: await tf.selfTest() in the app',
  },
] as const

/** Checks everything that needs neither a message nor the app. */
export async function examine(parts: {
  readonly provider: ProviderClient
  readonly baseUrl: string
  readonly key: string
  readonly lowCredits: number
  readonly redisUrl: string | undefined
  /** Namespace of the app. */
  readonly namespace: string | undefined
  readonly versions: NodeJS.ProcessVersions
  readonly load: LoadFromApp
}): Promise<Report> {
  const { provider, baseUrl, redisUrl, namespace, versions, load } = parts
  const express = load('express/package.json') as { version: string } | undefined
  const rows = [
    runtimeRow(versions),
    expressRow(express?.version),
    await balanceRow(provider, parts),
    await clockRow(baseUrl),
    ...(await redisRows(redisUrl, load, namespace)),
  ]
  return { ok: rows.every(({ found }) => found !== 'wrong'), rows, notLookedAt }
}

export function describeReport({ rows, notLookedAt: others }: Report, stream: NodeJS.WriteStream): string {
  const wrong = rows.filter(({ found }) => found === 'wrong').length
  return [
    ...rows.map((row) => describeRow(row, stream)),
    '\nNot checked:',
    ...others.map(({ text }) => `  ${text}`),
    wrong === 0 ? '\nNothing is wrong.' : `\n${wrong} of ${rows.length} ${wrong === 1 ? 'is' : 'are'} wrong.`,
  ].join('\n')
}
