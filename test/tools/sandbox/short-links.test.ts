import { describe, expect, test } from 'vitest'
import type { Click } from '../../../src/tools/sandbox/clicks.js'
import { createLinks } from '../../../src/tools/sandbox/short-links.js'
import { sandboxed } from './wire.js'

// One minute before midnight, UTC.
const { sandbox, get, post } = await sandboxed({ now: () => Date.UTC(2025, 0, 31, 23, 59) })
const shorten = (fields: Record<string, string> = {}) =>
  post('/url/short', { name: 'spring', 'url-long': 'https://example.com/spring?a=1#top', ...fields })
const visit = (url: unknown, headers: Record<string, string> = {}, method = 'GET') =>
  fetch(String(url), { method, redirect: 'manual', headers })
const days = { since: '2025-01-31', until: '2025-02-01' }
const statistics = async (fields: Record<string, string> = {}) =>
  (await post('/url/short-statistic', { 'name-url': 'spring', ...days, ...fields })).body

describe('a short URL', () => {
  test('has the alias that was asked for, within its domain, and redirects to the long one', async () => {
    const origin = new URL(sandbox.inboxUrl).origin
    expect((await shorten({ alias: 'sale' })).body.urlShort).toBe(`${origin}/s/sale`)
    const there = await shorten({ name: 'summer', alias: 'sale', 'domain-name': 'go.example.com' })
    expect(there.body.urlShort).toBe(`${origin}/s/go.example.com/sale`)
    const answer = await visit(`${there.body.urlShort}?from=mail`)
    expect(answer.status).toBe(302)
    expect(answer.headers.get('location')).toBe('https://example.com/spring?a=1#top')
  })

  test('keeps its name and its alias to itself', async () => {
    await shorten({ alias: 'sale' })
    const taken = (what: string) => ({ error: '1130', msg: `Another URL has this ${what}.` })
    expect((await shorten({ 'url-long': 'https://example.com/other' })).body).toEqual(taken('name'))
    expect((await shorten({ name: 'summer', alias: 'sale' })).body).toEqual(taken('alias'))
  })

  test('costs a credit when it is premium, once', async () => {
    const premium = (name: string) => shorten({ name, 'is-premium': 'true' })
    await shorten()
    const first = await premium('summer')
    expect((await premium('summer')).body).toEqual({ ...first.body, msg: 'The short URL existed already.' })
    expect((await get('/balance')).body.status).toBe(999)
    sandbox.account.setCredits(0)
    expect((await premium('autumn')).body.error).toBe('1007')
  })

  test.each([
    ['0', Date.UTC(2026, 0, 31, 23, 59)],
    // 31 February does not exist: the month's last day is meant.
    ['1', Date.UTC(2025, 1, 28, 23, 59)],
  ])('of %s months ends in the calendar, and its statistics with it', async (months, end) => {
    const { urlShort } = (await shorten({ 'expiration-time-statistics': months })).body
    sandbox.clock.advance(end - sandbox.clock.now() - 1)
    expect((await visit(urlShort)).status).toBe(302)
    sandbox.clock.advance(1)
    expect((await visit(urlShort)).status).toBe(404)
    expect((await statistics()).error).toBe('1131')
    expect((await shorten()).body.msg).toBe('The short URL was created.')
  })
})

describe('the statistics', () => {
  const phone = {
    'User-Agent':
      'Mozilla/5.0 (iPhone; CPU iPhone OS 17_4 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.4 Mobile/15E148 Safari/604.1',
    'Accept-Language': 'pt-BR',
    'X-Sandbox-Place': 'BR/S%C3%A3o%20Paulo/Campinas',
  }
  const desktop = {
    'User-Agent': 'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:125.0) Gecko/20100101 Firefox/125.0',
    'Accept-Language': 'en;q=0.5, es-MX',
    'X-Sandbox-Place': 'mx/%E0%A4%A',
  }

  test('count both days of a range, and no other, UTC', async () => {
    const { urlShort } = (await shorten()).body
    await visit(urlShort)
    sandbox.clock.advance(60_000)
    await visit(urlShort)
    await visit(urlShort)
    sandbox.clock.advance(86_400_000)
    await visit(urlShort)
    // Link checkers ask so.
    await visit(urlShort, {}, 'HEAD')
    expect(await statistics({ category: 'date' })).toMatchObject({
      clicksNumber: 3,
      metrics: [
        { date: { property: '2025-01-31', clicks: 1 } },
        { date: { property: '2025-02-01', clicks: 2 } },
      ],
    })
    expect((await statistics({ category: 'hour' })).metrics).toEqual([
      { hour: { property: '23', clicks: 1, date: '2025-01-31' } },
      { hour: { property: '00', clicks: 2, date: '2025-02-01' } },
    ])
    expect(await statistics({ since: '2025-02-02', until: '2025-02-02' })).toMatchObject({ clicksNumber: 1 })
    expect(await statistics({ since: '2024-01-01', until: '2025-01-30' })).toMatchObject({
      clicksNumber: 0,
      metrics: [],
    })
  })

  test.each<[string, [string, object?], [string, object?]]>([
    ['country', ['BR'], ['MX']],
    ['device', ['mobile'], ['desktop']],
    ['operatingSystem', ['iOS'], ['Windows']],
    ['region', ['São Paulo'], ['unknown']],
    [
      'city',
      ['Campinas', { countryIsoCode: 'BR', region: 'São Paulo', percent: 66.67 }],
      ['unknown', { countryIsoCode: 'MX', region: 'unknown', percent: 33.33 }],
    ],
    ['brand', ['Apple', { percent: 66.67 }], ['unknown', { percent: 33.33 }]],
    ['model', ['iPhone', { percent: 66.67 }], ['unknown', { percent: 33.33 }]],
    ['browser', ['Mobile Safari'], ['Firefox']],
    ['lang', ['pt-BR'], ['es-MX']],
  ])('group by %s', async (category, [twice, moreOfTwice], [once, moreOfOnce]) => {
    const { urlShort } = (await shorten({ 'is-premium': 'true' })).body
    for (const headers of [desktop, phone, phone]) await visit(urlShort, headers)
    expect((await statistics({ category })).metrics).toEqual([
      { [category]: { property: twice, clicks: 2, ...moreOfTwice } },
      { [category]: { property: once, clicks: 1, ...moreOfOnce } },
    ])
  })
})

test('the newest 1,000 links and 20,000 clicks are kept', () => {
  const links = createLinks(
    'http://127.0.0.1',
    () => 0,
    () => {},
  )
  const make = (name: string) =>
    links.create({ name, urlLong: 'https://example.com/', premium: false, alias: name, months: 1 })
  for (let count = 0; count < 1_001; count += 1) make(`n${count}`)
  expect(links.list()).toHaveLength(1_000)
  expect(links.named('n0')).toBeUndefined()
  const link = links.named('n1000')
  if (link === undefined) throw new Error('the newest link is gone')
  for (let count = 0; count < 100_000; count += 1) links.clicked(link, { at: 0 } as Click)
  expect(links.clicksOf(link, 0, 1)).toHaveLength(20_000)
})
