import { Pool } from 'pg'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { generateRecoveryCodes, hashRecoveryCode, readRecoveryCode } from '../../src/challenge/recovery.js'
import type { TwoFactorOptions } from '../../src/index.js'
import { runSample, samples } from '../sample.js'
import { startPostgres, withoutPostgres } from './postgres-server.js'

describe.skipIf(withoutPostgres)('the statements for a help-desk code in docs/operation.md', () => {
  let server: Awaited<ReturnType<typeof startPostgres>>
  let db: Pool
  beforeAll(async () => {
    server = await startPostgres()
    db = new Pool({ connectionString: server.url })
    await db.query('CREATE TABLE recovery_codes (subject text, hash text, ends_at bigint)')
  })
  afterAll(async () => {
    await db.end()
    await server.stop()
  })

  it('accept the code once within a day, and never end the codes that the user has', async () => {
    const own = generateRecoveryCodes('ana')
    const insert = 'INSERT INTO recovery_codes (subject, hash) VALUES ($1, $2)'
    for (const hash of own.hashes) await db.query(insert, ['ana', hash])

    const twoFactor = (options: Pick<TwoFactorOptions, 'recoveryCodes'>) => options.recoveryCodes?.consume
    const tf = { recoveryCodes: { generate: generateRecoveryCodes } }
    const sample = samples('docs/operation.md', 'help desk').replace(/^(?=twoFactor\()/m, 'const consume = ')
    /** Runs the sample, which inserts one more code. */
    const helpDesk = () =>
      runSample(sample, { tf, db, twoFactor, options: {} }, '{ codes, consume }') as unknown as Promise<{
        codes: string[]
        consume: (subject: string, hash: string) => Promise<boolean>
      }>
    const early = await helpDesk()
    const { consume, codes } = await helpDesk()
    const enter = (code = '') => consume('ana', hashRecoveryCode('ana', readRecoveryCode(code) ?? ''))

    expect([await enter(codes[0]), await enter(codes[0]), await enter(codes[1])]).toEqual([
      true,
      false,
      false,
    ])
    vi.spyOn(Date, 'now').mockReturnValue(Date.now() + 24 * 3_600_000)
    expect(await enter(early.codes[0])).toBe(false)
    vi.restoreAllMocks()
    expect([await enter(own.codes[0]), await enter(own.codes[0])]).toEqual([true, false])
    vi.spyOn(Date, 'now').mockReturnValue(Date.now() + 400 * 24 * 3_600_000)
    expect(await enter(own.codes[1])).toBe(true)
    vi.restoreAllMocks()
  })
})
