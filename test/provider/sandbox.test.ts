import { get as httpGet } from 'node:http'
import { expect, test } from 'vitest'
import { createClient, judge, type ProviderClient } from '../../src/provider/index.js'
import { type Sandbox, type SandboxOptions, startSandbox } from '../../src/tools/sandbox/index.js'

const phone = '+573001234567'
const other = '+573007654321'

function visit(url: string): Promise<number | undefined> {
  return new Promise((answered, failed) => {
    httpGet(url, { headers: { 'user-agent': 'curl/8' } }, (response) => {
      response.resume()
      answered(response.statusCode)
    }).on('error', failed)
  })
}

/** Uses everything there is to use, and gives what came back. */
async function callEveryMethod(client: ProviderClient, { approvedStatuses, inbox }: Sandbox) {
  const rules = { approvedStatuses }
  const code = { phone, appName: 'Acme', countryCode: 'CO' }
  const balance = await client.balance()
  const smsCode = await client.sendSmsCode(code)
  const wrong = await client.verifyCode({ ...code, code: 'wrong1' })
  const smsMessage = await inbox.waitFor(phone, { channel: 'sms' })
  const right = await client.verifyCode({ ...code, code: smsMessage.code })
  const again = await client.verifyCode({ ...code, code: smsMessage.code })
  const callCode = await client.sendCallCode({ ...code, voice: 'Marian', retries: 2 })
  const callMessage = await inbox.waitFor(phone, { channel: 'call' })
  const rightByCall = await client.verifyCode({ ...code, code: callMessage.code })

  const sms = await client.sendSms({ phone, sms: 'Hello' })
  const states = await client.messageState({ id: String(sms.id) })
  const severalSms = await client.sendSms({ phone: [phone, other], sms: 'Hello all', countryCode: 'CO' })
  const speak = { phone, message: 'Hello', voice: 'Mariana', retries: 3, leaveVoicemail: false } as const
  const call = await client.sendCall(speak)
  const audioCall = await client.sendCall({ phone: `${phone},${other}`, audioCode: 'welcome-7' })
  const blocked = await client.blockPhone({ phone: other, name: 'Ana' })

  const link = await client.shortenUrl({
    name: 'spring',
    urlLong: 'https://example.com/spring',
    alias: 'sale',
    isPremium: true,
    groupName: 'Campaigns',
    expirationTimeStatistics: 3,
  })
  const statistics = { nameUrl: 'spring', since: '2026-03-01', until: new Date('2026-03-02T00:00:00Z') }
  const unclicked = await client.urlStatistics(statistics)
  const redirect = await visit(String(link.urlShort))
  const clicked = await client.urlStatistics({ ...statistics, category: 'date' })
  const everyCategory = await client.urlStatistics(statistics)

  return {
    verdicts: [wrong, right, again, rightByCall].map((answer) => judge(answer, rules)),
    redirect,
    categories: everyCategory.metrics.flatMap((metric) => Object.keys(metric)),
    balance,
    smsCode,
    callCode,
    text: sms,
    states,
    severalSms,
    call,
    audioCall,
    blocked,
    link: { ...link, urlShort: new URL(String(link.urlShort)).pathname },
    unclicked: { ...unclicked, urlShort: undefined },
    clicked: { ...clicked, urlShort: undefined },
  }
}

/** Ids are random, words and prices differ between services: what is left is what the client makes equal. */
function withoutWords(results: object): unknown {
  const own = ['id', 'dispatchId', 'status', 'state', 'credits', 'created']
  const text = JSON.stringify(results, (name, value) => {
    if (!own.includes(name)) return name === 'sms' ? String(value).replace(/\b\d{6}\b/, 'code') : value
    return typeof value
  })
  return JSON.parse(text)
}

async function resultsWith(options: SandboxOptions) {
  const now = () => Date.UTC(2026, 2, 1, 12)
  const sandbox = await startSandbox({ ...options, credits: 500, now })
  const client = createClient({ baseUrl: sandbox.baseUrl, ...sandbox.credentials })
  try {
    return await callEveryMethod(client, sandbox)
  } finally {
    await client.close()
    await sandbox.close()
  }
}

// What each answer means is told by the tests of the client, and what the sandbox answers by its own.
test('every method works against the sandbox, and means the same in both dialects', async () => {
  const [spec, observed] = [
    await resultsWith({ dialect: 'spec' }),
    await resultsWith({ dialect: 'observed' }),
  ]
  expect(withoutWords(observed)).toEqual(withoutWords(spec))
  expect(spec).toMatchObject({
    verdicts: ['rejected', 'approved', 'rejected', 'approved'],
    redirect: 302,
    balance: { credits: 500 },
    smsCode: { minutesToExpire: 5, data: [{ phone: '573001234567' }] },
    callCode: { data: [{ voice: 'Mariana' }] },
    states: [{ phone: '573001234567', sms: 'Hello' }],
    severalSms: { data: [{ sms: 'Hello all' }, { phone: '573007654321' }] },
    call: { data: [{ message: 'Hello', voice: 'Marian' }] },
    audioCall: { data: [{ message: 'Audio welcome-7' }, { phone: '573007654321' }] },
    blocked: { phone: '573007654321', name: 'Ana' },
    link: { urlShort: '/s/sale', urlLong: 'https://example.com/spring' },
    unclicked: { clicksNumber: 0, metrics: [] },
    clicked: { clicksNumber: 1, metrics: [{ date: { property: '2026-03-01', clicks: 1 } }] },
  })
})
