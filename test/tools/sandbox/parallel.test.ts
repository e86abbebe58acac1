import { expect, test } from 'vitest'
import { createClient } from '../../../src/provider/index.js'
import { startSandbox } from '../../../src/tools/sandbox/index.js'

test('twenty tests share one sandbox, each with faults and a clock of its own', async () => {
  const start = 1_700_000_000_000
  await using sandbox = await startSandbox({ now: () => start })
  const client = createClient({ baseUrl: sandbox.baseUrl, ...sandbox.credentials })

  async function one(index: number): Promise<void> {
    const phone = `+5730012345${String(index).padStart(2, '0')}`
    const send = () => client.sendSmsCode({ phone, appName: 'Acme' })
    const verify = (code: string) => client.verifyCode({ phone, appName: 'Acme', code })

    sandbox.faults.add({ kind: 'status', status: 500 + index, operation: 'sendSmsCode', phone, times: 2 })
    for (let count = 0; count < 2; count += 1) {
      await expect(send()).rejects.toMatchObject({ httpStatus: 500 + index })
    }
    await send()
    const { code, id } = await sandbox.inbox.waitFor(phone)
    // Even tests let the code expire; odd ones stop one millisecond before.
    sandbox.clock.advance(300_000 - (index % 2), phone)
    expect((await verify(code)).httpStatus).toBe(index % 2 === 0 ? 520 : 200)

    sandbox.faults.add({ kind: 'acceptThenStatus', operation: 'verifyCode', phone })
    await send()
    const second = await sandbox.inbox.waitFor(phone, { after: id })
    expect(second.at).toBe(start + 300_000 - (index % 2))
    expect((await verify(second.code)).httpStatus).toBe(504)
    // The gateway spoke over a code that had been accepted.
    expect((await verify(second.code)).error).toBe('1113')
    sandbox.faults.add({ kind: 'html', operation: 'messageState', phone })
    await expect(client.messageState({ id: second.id })).rejects.toMatchObject({ httpStatus: 520 })
    expect(await client.messageState({ id: second.id })).toMatchObject([{ state: 'sent' }])
  }

  await Promise.all(Array.from({ length: 20 }, (_, index) => one(index)))
  expect(sandbox.faults.list()).toEqual([])
  expect(sandbox.clock.aheadMs()).toBe(0)
  expect(sandbox.inbox.list()).toHaveLength(40)
  await client.close()
})
