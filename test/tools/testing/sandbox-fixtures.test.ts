import { createClient } from 'express-two-factor/client'
import { fixedNumbers } from 'express-two-factor/sandbox'
import { type SandboxContext, sandboxFixtures } from 'express-two-factor/testing'
import { test as base, describe, expect } from 'vitest'

const test = base.extend<SandboxContext>(sandboxFixtures({ sandbox: { codeLength: 4 } }))
const origins = new Set<string>()
const phones = new Set<string>()

describe.each([1, 2, 3])('test %i', () => {
  test('has a number of its own in the sandbox of its worker', async ({ sandbox, phone, codeFor }) => {
    origins.add(sandbox.baseUrl)
    phones.add(phone)
    expect(origins.size).toBe(1)
    const client = createClient({ baseUrl: sandbox.baseUrl, ...sandbox.credentials })
    const send = (to: string) => client.sendSmsCode({ phone: to, appName: 'Acme' })

    await send(phone)
    const first = await codeFor()
    expect(first).toMatch(/^\d{4}$/)
    // A code that was read already is not the answer to a new one.
    const second = codeFor()
    await send(phone)
    expect(await second).toBe(sandbox.inbox.list(phone)[0]?.code)
    await expect(codeFor(phone, { timeoutMs: 1 })).rejects.toMatchObject({ name: 'TimeoutError' })

    await send('+573007654321')
    expect(await codeFor('+573007654321')).toMatch(/^\d{4}$/)
    await client.close()
  })
})

base('no two tests share a number', () => {
  expect(phones.size).toBe(3)
})

base('no test gets a number with a fixed result', async () => {
  const { phone } = sandboxFixtures()
  for (let count = 0; count < 2_000; count += 1) {
    await phone({}, async (number) => {
      expect(fixedNumbers.some(({ ending }) => number.endsWith(ending))).toBe(false)
      expect(number).toMatch(/^\+573001\d{6}$/)
    })
  }
})

base.each([
  [{ fone: () => '' }, 'unknown option "fone"'],
  [{ phone: '+573001234567' }, 'phone must be a function (index) => string'],
  [{ sandbox: 5 }, 'sandbox must be an object'],
])('the options %j are refused', (options, message) => {
  expect(() => sandboxFixtures(options as object)).toThrow(message)
})
