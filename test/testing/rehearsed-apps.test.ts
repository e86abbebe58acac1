import { type Sandbox, startSandbox } from 'express-two-factor/sandbox'
import { rehearse } from 'express-two-factor/testing'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createBank } from './bank.js'
import { mistakes } from './mistakes.js'

const inFull = process.env.IN_FULL !== undefined

/** Every row, or where time is short, the one that is to find it. */
const scope = (row: string) => (inFull ? { maxRequests: 2_000 } : { maxRequests: 500, only: [row] })

describe('a rehearsal', () => {
  let sandbox: Sandbox
  beforeAll(async () => {
    sandbox = await startSandbox()
  })
  afterAll(() => sandbox.close())

  it.each(mistakes)('finds $what by the row $row', async ({ row, wiring }) => {
    sandbox.reset()
    const { rehearsal, close } = createBank(sandbox, wiring)
    const { ok, rows, requests } = await rehearse({ ...rehearsal, ...scope(row) })
    await close()
    const fallen = rows.flatMap(({ code, verdict }) => (verdict === 'fell' ? [code] : []))
    expect(fallen).toContain(row)
    expect(ok).toBe(false)
    expect(requests).toBeLessThanOrEqual(2_000)
  })
})
