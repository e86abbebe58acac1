import { runInThisContext } from 'node:vm'
import { expect, it } from 'vitest'
import { createClient, providerCodes, tokenSession } from '../../src/index.js'
import { optionChecks } from '../../src/options/checks.js'
import { resolveOptions } from '../../src/options/resolve.js'
import type { TwoFactorOptions } from '../../src/options.js'
import { redisStore } from '../../src/store/redis-store.js'
import { optionRows } from '../documents.js'

const account = { baseUrl: 'http://127.0.0.1:9/v1', client: 1, key: 'k' }
const client = createClient(account)
const options: TwoFactorOptions = {
  provider: providerCodes({ client, approvedStatuses: ['verified'] }),
  appName: 'Acme',
  secret: 'a secret of thirty-two bytes or more',
  countries: ['CO'],
  subject: () => null,
  phone: () => undefined,
}

/** What the examples take from the reader's app. */
const given = {
  client,
  createClient,
  providerCodes,
  redis: { isOpen: true, isReady: true, sendCommand: async () => null },
  redisStore,
  tokenSession,
  process: { env: { TWO_FACTOR_SECRET: options.secret } },
}
const evaluated = (code: string) =>
  runInThisContext(`({ ${Object.keys(given).join(', ')} }) => (${code})`)(given)

/** The groups of options, as they are called in the errors that list their members. */
const groups = ['code', 'pages'] as const
const membersOf = (make: () => unknown) => {
  try {
    make()
  } catch (error) {
    return String(error).split('expected: ')[1]?.split(', ') ?? []
  }
  return []
}
const resolve = (change: object) => resolveOptions({ ...options, ...change })

it('docs/options.md lists every option', () => {
  const inGroups = groups.flatMap((group) =>
    membersOf(() => resolve({ [group]: { unknown: 1 } })).map((member) => `${group}.${member}`),
  )
  const ofAccount = membersOf(() => providerCodes({ unknown: 1 } as never))
  const others = Object.keys(optionChecks).filter((name) => !groups.some((group) => group === name))
  expect(optionRows.map(({ option }) => option).sort()).toEqual([...others, ...inGroups, ...ofAccount].sort())
})

it.each(optionRows)('$section: the example of $option is taken', ({ section, option, example, seen }) => {
  const change = evaluated(`{ ${example} }`)
  expect(Object.keys(change)).toEqual([option.split('.')[0]])
  if (section === "The provider's own") providerCodes({ client, approvedStatuses: ['verified'], ...change })
  else resolve(option === 'dangerouslyAnyCountry' ? { ...change, countries: undefined } : change)
  expect(seen).toBeTruthy()
})

// Functions cannot be compared.
const compared = optionRows.filter(
  ({ section, option, standard }) =>
    section !== "The provider's own" &&
    standard.includes('`') &&
    !['session', 'store', 'now'].includes(option),
)
it.each(compared)('$option left out is $standard', ({ option, standard }) => {
  const [name = '', member] = option.split('.')
  const value = evaluated(standard.trim().replaceAll('`', ''))
  const settings = (change: object) => ({ ...resolve(change), defaultPurpose: undefined })
  expect(settings({ [name]: member === undefined ? value : { [member]: value } })).toEqual(settings({}))
})
