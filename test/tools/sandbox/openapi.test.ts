import { expect, test } from 'vitest'
import { z } from 'zod'
import { operations } from '../../../src/provider/operations.js'
import { type SandboxOptions, startSandbox } from '../../../src/tools/sandbox/index.js'
import { get, post, type WireAnswer } from './wire.js'

// The documents are made from the schemas that requests are checked by; here they are held against answers.

interface Described {
  readonly responses: Record<string, { content: { 'application/json': { schema: object } } }>
}
interface Document {
  readonly paths: Record<string, Record<'get' | 'post', Described | undefined>>
}

/** A part of a document, with what its references lead to in their place. */
function inlined(part: unknown, document: object): unknown {
  if (typeof part !== 'object' || part === null) return part
  if (Array.isArray(part)) return part.map((item) => inlined(item, document))
  if (!('$ref' in part)) {
    return Object.fromEntries(Object.entries(part).map(([name, member]) => [name, inlined(member, document)]))
  }
  const steps = String(part.$ref).slice('#/'.length).split('/')
  const place = steps.reduce((at: object, step) => Reflect.get(at, step), document)
  return inlined(place, document)
}

async function documentAt(url: string) {
  const raw = await (await fetch(url)).json()
  const document = inlined(raw, raw) as Document
  return {
    paths: document.paths,
    /** What of an answer is not as described; undefined where all is. */
    misfit(method: 'get' | 'post', path: string, { status, body }: WireAnswer) {
      const schema = document.paths[path]?.[method]?.responses[status]?.content['application/json'].schema
      if (schema === undefined) return `${method} ${path} ${status} is not described`
      // Every member that comes back has to be described.
      const strict = JSON.parse(JSON.stringify(schema), (_key, value) =>
        value?.properties === undefined ? value : { ...value, additionalProperties: false },
      )
      return z.fromJSONSchema(strict).safeParse(body).error
    },
  }
}

test.each<SandboxOptions>([
  { dialect: 'spec' },
  { dialect: 'observed' },
  { dialect: 'spec', wrongCode: 200, approvedStatus: 1 },
  { dialect: 'observed', wrongCode: 400 },
])('every operation returns what its document says, with %j', async (options) => {
  await using sandbox = await startSandbox(options)
  const document = await documentAt(`${sandbox.inboxUrl}openapi.json`)
  const phone = '573001999907'
  const sent = await post(`${sandbox.baseUrl}/send-sms`, { phone, sms: 'Hello' })
  const right = { phone, 'app-name': 'Acme', code: '012345' }
  const premium = { name: 'spring', 'url-long': 'https://example.com/', 'is-premium': 'true' }
  const statistic = { 'name-url': 'spring', since: '2020-01-01', until: '2099-01-01' }
  const calls = [
    ['get', '/balance', {}],
    ['post', '/block-phone', { phone: '573009990000', name: 'Ana' }],
    ['post', '/send-sms', { phone, sms: 'Hello' }],
    ['post', '/send-sms', { phone: `${phone},573001234567`, sms: 'Hello' }],
    ['post', '/call/send', { phone, message: 'Hello', voice: 'Mia' }],
    ['get', '/messages-state', { id: String(sent.body.id) }],
    ['post', '/2fa/send-sms', right],
    ['post', '/2fa/send-sms', { phone: 'x' }],
    ['post', '/2fa/verification-code', { ...right, code: 'wrong1' }],
    ['post', '/2fa/verification-code', right],
    ['post', '/call/2fa/send-call', { ...right, voice: 'Mia', retries: '1' }],
    ['post', '/url/short', premium],
    ['post', '/url/short-statistic', statistic],
    // Now of two clicks.
    ['post', '/url/short-statistic', statistic],
  ] as const
  for (const [method, path, fields] of calls) {
    const answer = await (method === 'get' ? get : post)(`${sandbox.baseUrl}${path}`, fields)
    expect(document.misfit(method, path, answer), `${path} ${JSON.stringify(fields)}`).toBeUndefined()
    if (fields !== statistic) continue
    for (const { urlShort } of sandbox.links.list()) {
      for (let visit = 0; visit < 2; visit += 1) await fetch(urlShort, { redirect: 'manual' })
    }
  }
  expect(Object.keys(document.paths).length).toBeGreaterThanOrEqual(Object.keys(operations).length)
  // An answer promises no member.
  const sms = document.paths['/send-sms']?.post?.responses[200]?.content['application/json'].schema
  expect(sms).toHaveProperty('properties.data')
  expect(sms).not.toHaveProperty('required')
})

test('every route of the control returns its documented response, and changes nothing when it refuses', async () => {
  await using sandbox = await startSandbox({ now: () => 1_700_000_000_000 })
  const { account, clock, faults, inbox, links, requests } = sandbox
  const remembered = () =>
    JSON.stringify([
      account.blocked(),
      account.credits(),
      clock.now(),
      faults.list(),
      inbox.list(),
      links.list(),
    ])
  const phone = '573001234567'
  await post(`${sandbox.baseUrl}/2fa/send-sms`, { phone, 'app-name': 'Acme' })
  await post(`${sandbox.baseUrl}/send-sms`, { phone: '573001999901', sms: 'Hello' })
  await post(`${sandbox.baseUrl}/block-phone`, { phone: '573009990000' })
  await post(`${sandbox.baseUrl}/url/short`, { name: 'spring', 'url-long': 'https://example.com/' })
  await post(`${sandbox.baseUrl}/fax`, {})
  faults.add({ kind: 'slow', phone, times: 2 })
  faults.add({ kind: 'hang', times: Number.POSITIVE_INFINITY })

  const takes: Readonly<Record<string, object>> = {
    'get /messages/wait': { phone },
    'post /account': { credits: 5 },
    'post /account/unblock': { phone: '573009990000' },
    'post /clock': { advanceMs: 60_000 },
    'post /faults': { kind: 'hang' },
  }
  const { paths, misfit } = await documentAt(`${sandbox.inboxUrl}_sandbox/openapi.json`)
  for (const [path, item] of Object.entries(paths)) {
    for (const method of Object.keys(item) as ('get' | 'post')[]) {
      const ask = async (fields: object): Promise<WireAnswer> => {
        const url = `${sandbox.inboxUrl}_sandbox${path}`
        const headers = { 'Content-Type': 'application/json' }
        const response = await (method === 'get'
          ? fetch(`${url}?${new URLSearchParams({ ...fields })}`)
          : fetch(url, { method: 'POST', headers, body: JSON.stringify(fields) }))
        return { status: response.status, body: await response.json() }
      }
      const fields = takes[`${method} ${path}`] ?? {}
      const before = remembered()
      for (const [status, given] of [
        [400, { ...fields, misspelt: 1 }],
        [200, fields],
      ] as const) {
        const answer = await ask(given)
        expect([answer.status, misfit(method, path, answer)], `${method} ${path}`).toEqual([
          status,
          undefined,
        ])
        if (status === 400 || method === 'get') expect(remembered()).toBe(before)
      }
    }
  }
  expect([inbox.list(), requests.count()]).toEqual([[], 0])
})

test('the documents describe the parameters of a request for generated clients', async () => {
  await using sandbox = await startSandbox({ dialect: 'observed' })
  const { inboxUrl, baseUrl } = sandbox
  const documents = [`${inboxUrl}openapi.json`, `${inboxUrl}_sandbox/openapi.json`]
  const [provider, control] = await Promise.all(
    documents.map(async (url) => (await fetch(url)).json() as Promise<unknown>),
  )
  const client = { type: 'integer', format: 'int64', description: 'Account client identifier.' }
  const { description, ...schema } = client
  const body = {
    schema: {
      properties: { client, retries: { type: 'string', default: '1' } },
      required: ['client', 'key', 'phone', 'app-name'],
    },
  }
  expect(provider).toMatchObject({
    openapi: '3.1.0',
    servers: [{ url: baseUrl }],
    security: [],
    tags: [{ name: 'provider' }],
    paths: {
      '/balance': {
        get: {
          operationId: 'balance',
          parameters: [{ name: 'client', in: 'query', required: true, description, schema }, {}],
        },
      },
      '/call/2fa/send': {
        post: {
          operationId: 'sendCallCode2',
          requestBody: {
            required: true,
            content: { 'application/x-www-form-urlencoded': body, 'multipart/form-data': body },
          },
        },
      },
    },
  })
  expect(control).toMatchObject({
    servers: [{ url: `${inboxUrl}_sandbox` }],
    tags: [{ name: 'control' }],
    paths: {
      '/messages/wait': {
        get: {
          operationId: 'get-messages-wait',
          parameters: [
            {
              name: 'phone',
              in: 'query',
              required: true,
              description: 'One whole number with its country code, in any spelling.',
            },
            ...['timeoutMs', 'channel', 'since', 'after', 'code'].map((name) => ({ name, required: false })),
          ],
          responses: { 400: {}, 408: {}, 421: {} },
        },
      },
      '/messages': {
        get: { parameters: [{ name: 'phone', description: 'Digits that the number contains.' }, {}, {}, {}] },
      },
      '/messages/delete': {
        post: {
          requestBody: { required: false },
          responses: { 400: {}, 403: {}, 413: {}, 415: {}, 421: {} },
        },
      },
    },
  })
})
