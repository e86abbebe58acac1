// Compiled and run by the package check, under Playwright's own runner.
import { test as base, expect } from '@playwright/test'
import { createClient } from 'express-two-factor/client'
import {
  type SandboxTestFixtures,
  type SandboxWorkerFixtures,
  sandboxFixtures,
} from 'express-two-factor/testing'

const test = base.extend<SandboxTestFixtures, SandboxWorkerFixtures>(
  sandboxFixtures({ sandbox: { codeLength: 4 } }),
)
test.describe.configure({ mode: 'parallel' })

/** What this worker has seen: each one loads the file once. */
const origins = new Set<string>()
const phones = new Set<string>()
let tests = 0

for (const index of [1, 2, 3, 4, 5, 6]) {
  test(`test ${index} reads its own codes in the sandbox of its worker`, async ({
    sandbox,
    phone,
    codeFor,
  }) => {
    tests += 1
    origins.add(sandbox.baseUrl)
    phones.add(phone)
    expect([origins.size, phones.size]).toEqual([1, tests])

    const client = createClient({ baseUrl: sandbox.baseUrl, ...sandbox.credentials })
    await client.sendSmsCode({ phone, appName: 'Acme' })
    const code = await codeFor()
    expect(code).toMatch(/^\d{4}$/)
    // A code that was read already is not the answer to a new one.
    const next = codeFor()
    await client.sendSmsCode({ phone, appName: 'Acme' })
    expect(await next).toBe(sandbox.inbox.list(phone)[0]?.code)
    await client.close()
  })
}
