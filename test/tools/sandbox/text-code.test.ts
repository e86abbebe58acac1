import { describe, expect, test } from 'vitest'
import { startSandbox } from '../../../src/tools/sandbox/index.js'
import { codeInText } from '../../../src/tools/sandbox/text-code.js'
import { post } from './wire.js'

describe('the code of an ordinary text', () => {
  test.each([
    ['Your Acme code is 482913.', '482913'],
    ['482913 is your code', '482913'],
    ['Tu código es 4829', '4829'],
    ['4829134567', '4829134567'],
    ['G-482913 is your verification code', '482913'],
    ['Transfer of 1500 to ACME on 2025-03-14: code 482913', '482913'],
    ['Transfer of 1500 to ACME: 482913 is your code', '482913'],
    ['Pay USD 1500.00? Reply 482913', '482913'],
    ['Your code is 111111.\n\n@example.com #482913', '482913'],
    ['Your code is 111111.\n@example.com:8443 #AB12cd @pay.example', 'AB12cd'],
    ['Call +573001234567 or 57300123456789 if this was not you', undefined],
    ['See https://go.example/482913?id=482913', undefined],
    ['Your order 123 is on its way', undefined],
    ['Press 4, 8, 2, 9', undefined],
    ['Say 482913.\n@example.com #111111 or so', '482913'],
    ['Hello', undefined],
  ])('%j: %s', (text, code) => {
    expect(codeInText('sms', text)).toBe(code)
  })
})

describe('the code of an ordinary call', () => {
  test.each([
    ['Your code is 4 8 2 9 1 3', '482913'],
    ['Your code is 4, 8, 2, 9, 1, 3. Again: 4, 8, 2, 9, 1, 3.', '482913'],
    ['Your code: 4 8 2 9 1 3. 4 8 2 9 1 3.', '482913'],
    ['Code 4. 8. 2. 9.', '4829'],
    ['Your code is 482913', '482913'],
    ['Press 1, 2, 3', undefined],
    ['Room 12, 4, 8, 2', undefined],
    ['0 1 2 3 4 5 6 7 8 9 0', undefined],
  ])('%j: %s', (text, code) => {
    expect(codeInText('call', text)).toBe(code)
  })
})

test('waitFor finds the codes of ordinary texts and calls', async () => {
  await using sandbox = await startSandbox()
  const phone = '573001234567'
  await post(`${sandbox.baseUrl}/send-sms`, { phone, sms: 'Your code is 1111.\n\n@example.com #482913' })
  expect(await sandbox.inbox.waitFor(phone)).toMatchObject({ channel: 'sms', code: '482913' })
  await post(`${sandbox.baseUrl}/call/send`, { phone, message: 'Your code is 9 1 3 4', voice: 'Mia' })
  expect(await sandbox.inbox.waitFor(phone, { channel: 'call' })).toMatchObject({ code: '9134' })
  await post(`${sandbox.baseUrl}/send-sms`, { phone, sms: 'Hello' })
  expect((await sandbox.inbox.waitFor(phone)).code).toBe('9134')
})
