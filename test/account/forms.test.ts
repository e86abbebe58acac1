import { describe, expect, it } from 'vitest'
import type { Answer, Browser } from '../express/browser.js'
import { phones } from '../express/kit.js'
import {
  type AccountHost,
  idOf,
  linesOf,
  newNumber,
  otherNumber,
  path,
  proveNumber,
  signIn,
  startAccounts,
} from './kit.js'

const first = String(phones.ana)

/** Types the code of a page into its form, and follows where it leads. */
async function typeCode(host: AccountHost, ana: Browser, page: Answer): Promise<Answer> {
  const { challenge = '', ...fields } = page.fields
  const typed = { ...fields, ...(challenge && { challenge }), code: host.stub.rightCode }
  const { location } = await ana.submit('/two-factor/verify', typed)
  return ana.open(location)
}

const titleOf = ({ text }: Answer) => /<title>(.*?)<\/title>/.exec(text)?.[1]?.replaceAll('&#39;', "'")

/** Ana with one number, whose codes have no wait left. */
async function startAna(given: Parameters<typeof startAccounts>[0] = {}) {
  const host = await startAccounts(given)
  const ana = await signIn(host)
  host.clock.now += 5 * 60_000
  return { host, ana }
}

it('throws at the first request to pages that are mounted elsewhere than at their path', async () => {
  const open = async (given: string) => {
    const host = await startAccounts({ pages: { path: given } })
    return (await signIn(host)).get(path)
  }
  expect((await open('/settings')).json.host).toContain(
    "path is '/settings', but these routes are mounted at '/account/security'",
  )
  expect((await open('/Account/Security')).status).toBe(200)
})

describe('a form of the account pages', () => {
  it('adds a number by three pages and no further confirmation', async () => {
    const { host, ana } = await startAna()
    const sent = await ana.submit(`${path}/number/start`, { phone: newNumber })
    expect((await ana.open(sent.location)).text).toContain(
      'We sent a code to <span class="number" dir="ltr">',
    )
    const proven = await ana.submit(`${path}/number/verify`, { code: host.stub.rightCode })
    expect(proven.location).toBe(`${path}/numbers/add`)
    const asked = await ana.open(proven.location)
    const confirm = await ana.open(asked.location)
    expect(linesOf(confirm).slice(0, 5)).toEqual([
      'Now confirm with the phone ending in 6 7',
      'Adding +57 300 9876543',
      'Afterwards',
      'Codes can go to this number too',
      'We sent a code to the number ending in 6 7. It works for 5 minutes.',
    ])
    expect(host.stub.sends.at(-1)?.form.phone).toBe(first.slice(1))
    const added = await typeCode(host, ana, confirm)
    expect(host.filed.ana?.numbers).toEqual([first, newNumber])
    const page = await ana.open(added.location)
    const notice = 'The number ending in 4 3 was added.'
    expect(titleOf(page)).toBe(`${notice} – Two-step sign-in – Acme`)
    expect(page.text).toContain(
      `<div class="notice done" role="alert" tabindex="-1" autofocus>\n<p>${notice}`,
    )
  })

  it('shows the right code is enough: no saved form, nothing to be sent again', async () => {
    const { host, ana } = await startAna({ numbers: [first, otherNumber], app: true })
    const number = await idOf(ana, 1)
    const asked = await ana.submit(`${path}/numbers/remove`, { number })
    expect(asked.status).toBe(403)
    expect(asked.text).not.toMatch(/saved your form|submit the form/)
    const { location } = await ana.submit('/two-factor/start', { ...asked.fields, channel: 'sms' })
    const code = await ana.open(location)
    expect(linesOf(code)[0]).toBe('Now confirm with the phone ending in 6 7')
    const removed = await typeCode(host, ana, code)
    expect(host.filed.ana?.numbers).toEqual([first])
    expect(titleOf(await ana.open(removed.location))).toContain('The number ending in 2 1 was removed.')
  })

  it('makes recovery codes on the page that the right code leads to, once', async () => {
    const { host, ana } = await startAna({ pages: { label: () => 'ana@example.com' } })
    const code = await ana.submit(`${path}/recovery-codes`)
    const { location, fields } = await typeCode(host, ana, code)
    expect(location).toBe('')
    const made = await ana.submit(`${path}/recovery-codes`, fields)
    expect([made.status, host.filed.ana?.hashes.length]).toEqual([200, 10])
    expect(made.text).toMatch(/<li class="key">[\dA-Z]{4}(-[\dA-Z]{4}){5}<\/li>/)
    const [, file = ''] = /href="data:text\/plain;charset=utf-8,([^"]*)"/.exec(made.text) ?? []
    const [name, of, , ...lines] = decodeURIComponent(file).split('\r\n')
    expect([name, of]).toEqual([
      'Acme: Recovery codes',
      expect.stringMatching(/^For ana@example\.com, made on [A-Z][a-z]+ \d+, 20\d\d$/),
    ])
    expect(lines.filter((line) => line !== '')).toHaveLength(10)
    expect(made.text).toContain('download="Acme-recovery-codes.txt"')
    // A reload neither shows them nor makes others.
    expect((await ana.open(`${path}/recovery-codes`)).location).toBe(path)
    expect(host.told).toHaveLength(1)
  })

  it('makes no recovery codes for an account whose name is no text', async () => {
    const { host, ana } = await startAna({ pages: { label: () => Object(5) } })
    const { requirement } = (await ana.post(`${path}/recovery-codes`)).json
    expect(requirement).toBeUndefined()
    expect((await ana.post(`${path}/recovery-codes`)).json).toEqual({
      host: 'accountPages: label must return a string',
    })
    expect([host.filed.ana?.hashes, host.told]).toEqual([[], []])
  })

  it.each([
    ['/numbers/first', true],
    ['/numbers/remove', true],
    ['/devices/end-all', false],
    ['/app/remove', false],
    ['/recovery-codes', false],
    ['/sign-out', false],
  ])('is opened as a link without a code for it: %s', async (route, hasNumber) => {
    const { host, ana } = await startAna({ numbers: [first, otherNumber], app: true, hashes: ['one'] })
    const before = structuredClone(host.filed.ana)
    const sends = host.stub.sends.length
    const query = hasNumber ? `?number=${await idOf(ana, 1)}` : ''
    const opened = await ana.open(`${path}${route}${query}`)
    expect([opened.status, opened.location]).toEqual([303, path])
    expect((await ana.get(`${path}${route}${query}`)).json).toEqual({})
    expect([host.filed.ana, host.told, host.stub.sends.length]).toEqual([before, [], sends])
  })

  it('is opened as a link by an account without a factor', async () => {
    const host = await startAccounts()
    const eve = await host.login('eve')
    expect((await eve.open(`${path}/sign-out`)).location).toBe(path)
    expect(host.told).toEqual([])
  })

  it('sends no code where a number is still to be proven', async () => {
    const { host, ana } = await startAna()
    const sends = host.stub.sends.length
    expect((await ana.open(`${path}/numbers/add`)).location).toBe(`${path}/number`)
    expect(host.stub.sends.length).toBe(sends)
  })

  it('leads back to the first page when it is cancelled', async () => {
    const { ana } = await startAna({ numbers: [first, otherNumber] })
    const asked = await ana.submit(`${path}/numbers/remove`, { number: await idOf(ana, 1) })
    expect((await ana.submit('/two-factor/cancel', asked.fields)).location).toBe(path)
  })
})

describe('a number of another account', () => {
  it('is not added: the page and the problem name the reason, and the number stays proven', async () => {
    let isTaken = true
    const saved: unknown[] = []
    const numbers = {
      list: () => [first],
      save: (_subject: string, list: readonly string[]) => (isTaken ? 'taken' : saved.push(list)),
    }
    const host = await startAccounts({ app: true, pages: { numbers } })
    const ana = await signIn(host)
    await proveNumber(host, ana)
    const refused = await ana.post(`${path}/numbers/add`)
    host.clock.now += 5 * 60_000
    const { requirement } = refused.json
    await ana.post('/two-factor/start', { requirement, channel: 'sms' })
    await ana.post('/two-factor/verify', { requirement, code: host.stub.rightCode })
    const taken = await ana.post(`${path}/numbers/add`)
    expect([...taken.refusal, taken.json.detail]).toEqual([
      409,
      'taken',
      'This number belongs to another account.',
    ])
    expect([host.told, host.events.filter(({ type }) => type === 'factor.changed')]).toEqual([[], []])
    isTaken = false
    const again = (await ana.post(`${path}/numbers/add`)).json
    host.clock.now += 5 * 60_000
    await ana.post('/two-factor/start', { requirement: again.requirement, channel: 'sms' })
    await ana.post('/two-factor/verify', { requirement: again.requirement, code: host.stub.rightCode })
    expect((await ana.post(`${path}/numbers/add`)).json).toEqual({ changed: 'number-added' })
    expect(saved).toEqual([[first, newNumber]])
  })
})
