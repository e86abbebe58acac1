import { expect, it } from 'vitest'
import { type AccountHostOptions, startAccounts } from './kit.js'

it.each<[string, AccountHostOptions, string]>([
  [
    'no app-name for the new number',
    { options: { appName: { login: 'Acme' } } },
    `set appName.new-number to a name not used for sign-in or step-up: appName: { "login": "Acme", "new-number": "Acme new-number" }`,
  ],
  [
    'the app-name of the sign-in for the new number',
    { options: { appName: { login: 'Acme', 'new-number': 'Acme' } } },
    'appName.new-number is also used for sign-in or step-up',
  ],
  [
    'the purpose of the sign-in for the new number',
    { pages: { newNumberPurpose: 'login' } },
    'purpose "login" belongs to sign-in or a step-up',
  ],
  [
    'a purpose that the options lack',
    { options: { purposes: { login: {}, transfer: {} } }, pages: { purpose: 'absent' } },
    'purpose "absent" is missing from the option purposes',
  ],
])('the error of account pages with %s names them', async (_name, given, message) => {
  await expect(startAccounts(given)).rejects.toMatchObject({
    message: expect.stringContaining(message),
    code: 'ERR_TWO_FACTOR_OPTION',
  })
  await expect(startAccounts(given)).rejects.toThrow(/^accountPages: /)
})
