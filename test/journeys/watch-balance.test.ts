import { expect, it, onTestFinished, vi } from 'vitest'
import { watchBalance } from '../../examples/watch-balance.js'
import { createClient } from '../../src/index.js'
import { startSandbox } from '../../src/tools/sandbox/index.js'

async function startExample() {
  const sandbox = await startSandbox({ credits: 501 })
  const client = createClient({ baseUrl: sandbox.baseUrl, ...sandbox.credentials })
  const tell = vi.fn()
  const end = watchBalance({ client, low: 500, everyMs: 5, tell })
  onTestFinished(async () => {
    end()
    await client.close()
    await sandbox.close()
  })
  const asked = () => sandbox.requests.count('balance')
  /** Returns once the account was asked twice more, so that what is told twice is seen. */
  async function afterTwoLooks(): Promise<void> {
    const before = asked()
    await vi.waitFor(() => expect(asked()).toBeGreaterThan(before + 2), 60_000)
  }
  return { sandbox, tell, afterTwoLooks }
}

it('examples/watch-balance reports each change of the account once', async () => {
  const { sandbox, tell, afterTwoLooks } = await startExample()
  await afterTwoLooks()
  expect(tell).not.toHaveBeenCalled()
  for (const credits of [500, 0, 501]) {
    sandbox.account.setCredits(credits)
    await afterTwoLooks()
  }
  sandbox.faults.add({ operation: 'balance', kind: 'status', times: Number.POSITIVE_INFINITY })
  await afterTwoLooks()
  sandbox.faults.clear()
  await afterTwoLooks()
  expect(tell.mock.calls).toEqual([
    ['low', 500],
    ['empty', 0],
    ['ok', 501],
    ['unknown', undefined],
    ['ok', 501],
  ])
})
