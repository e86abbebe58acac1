import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { type Sandbox, startSandbox } from '../src/tools/sandbox/index.js'
import { post } from './tools/sandbox/wire.js'

// The document is made from the schemas that requests are checked by; here it is read back and held against answers.

interface Reference {
  readonly $ref?: string
}
interface Schema extends Reference {
  readonly type?: string
  readonly enum?: readonly string[]
  readonly pattern?: string
  readonly minimum?: number
  readonly maximum?: number
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly anyOf?: readonly Schema[]
}
interface Content extends Reference {
  readonly content: { readonly 'application/json': { readonly schema: Schema } }
}
interface Operation {
  readonly parameters?: readonly { name: string; required: boolean; schema: Schema }[]
  readonly requestBody?: Content
  readonly responses: Readonly<Record<string, Content>>
}
interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
}
interface Request {
  readonly path: string
  readonly method: string
  readonly fields: Readonly<Record<string, unknown>>
  readonly form: boolean
}

const total = 500
let sandbox: Sandbox
let document: Document

beforeAll(async () => {
  const startedAt = Date.now()
  // Time stands still: the refund of a text that was not delivered falls due by itself.
  sandbox = await startSandbox({ credits: 1_000_000, now: () => startedAt })
  document = (await (await fetch(`${sandbox.inboxUrl}_sandbox/openapi.json`)).json()) as Document
  await fill()
  await fetch(`${sandbox.baseUrl}/fax`)
})
afterAll(() => sandbox.close())

/** All that a refusal could change, as text. */
function remembered(): string {
  const { account, clock, faults, inbox, links, requests } = sandbox
  return JSON.stringify([
    ...[account.credits(), account.blocked(), clock.now(), clock.now('573001234500')],
    ...[faults.list(), inbox.list(), links.list(), requests.count()],
  ])
}

/** Something of everything, so that a refusal would have something to lose. */
async function fill(): Promise<void> {
  await post(`${sandbox.baseUrl}/2fa/send-sms`, { phone: '573001234500', 'app-name': 'Acme' })
  await post(`${sandbox.baseUrl}/send-sms`, { phone: '573001999901', sms: 'Your code is 4829' })
  await post(`${sandbox.baseUrl}/block-phone`, { phone: '573009990000' })
  await post(`${sandbox.baseUrl}/url/short`, { name: 'a', alias: 'a', 'url-long': 'https://example.com/' })
  await fetch(`${sandbox.inboxUrl}s/a`, { redirect: 'manual' })
}

const nonsense = fc.oneof(
  fc.constantFrom<unknown[]>(
    null,
    true,
    '',
    ' ',
    '-1',
    '1e3',
    'NaN',
    [],
    [1],
    {},
    -1,
    0.5,
    1e300,
    '__proto__',
  ),
  fc.string({ maxLength: 300 }),
  fc.integer(),
)

/** Values that fit a schema of the document. */
function fitting(schema: Schema): fc.Arbitrary<unknown> {
  if (schema.anyOf !== undefined) return fc.oneof(...schema.anyOf.map(fitting))
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum)
  const { minimum = 0, maximum = 1_000 } = schema
  if (schema.type === 'integer') {
    const number = fc.oneof(
      fc.integer({ min: minimum, max: Math.min(maximum, minimum + 50) }),
      fc.constant(maximum),
    )
    return fc.oneof(number, number.map(String))
  }
  if (schema.type === 'boolean') return fc.constantFrom(true, false, 'true', 'false')
  if (schema.type === 'object') return fc.constantFrom({}, { 'Retry-After': '5' })
  if (schema.pattern === '\\d') return fc.constantFrom('573001234500', '+57 300', '9')
  if (schema.type === 'string') return fc.constantFrom('a', 'f1', 'Acme', 'ü')
  return fc.constantFrom('text', 5, { error: 1007 })
}

/** A request to one operation: mostly right, and now and then wrong in one place. */
function requestTo(path: string, method: string, { parameters, requestBody }: Operation) {
  const body = requestBody?.content['application/json'].schema
  const members = Object.entries(
    body?.properties ?? Object.fromEntries((parameters ?? []).map(({ name, schema }) => [name, schema])),
  )
  const required = body?.required ?? parameters?.filter((one) => one.required).map(({ name }) => name) ?? []
  const values = fc.record(
    Object.fromEntries(
      members.map(([name, schema]) => [
        name,
        // A wait must not outlast the test.
        name === 'timeoutMs'
          ? fc.oneof({ weight: 4, arbitrary: fc.constant(0) }, nonsense)
          : fc.oneof({ weight: 8, arbitrary: fitting(schema) }, { weight: 1, arbitrary: nonsense }),
      ]),
    ),
    { requiredKeys: path === '/messages/wait' ? [...required, 'timeoutMs'] : [...required] },
  )
  const extra = fc.oneof(
    { weight: 9, arbitrary: fc.constant({}) },
    fc.dictionary(fc.string({ minLength: 1 }), nonsense),
  )
  return fc.record({
    path: fc.constant(path),
    method: fc.constant(method),
    fields: fc.tuple(values, extra).map(([one, other]) => ({ ...one, ...other })),
    form: fc.boolean(),
  })
}

/** What a reference of the document leads to. */
function resolved<Place extends Reference>(place: Place): Place {
  if (place.$ref === undefined) return place
  const steps = place.$ref.slice('#/'.length).split('/')
  return steps.reduce((at: object, step) => Reflect.get(at, step), document) as Place
}

/** Of the answers with this status, none where the document has no such status. */
function validatorOf({ path, method }: Request, status: number): z.ZodType | undefined {
  const response = document.paths[path]?.[method]?.responses[status]
  const schema = response && resolved(resolved(response).content['application/json'].schema)
  return schema && z.fromJSONSchema(schema as never)
}

async function send({ path, method, fields, form }: Request) {
  const url = `${sandbox.inboxUrl}_sandbox${path}`
  const text = Object.entries(fields).map(([name, value]): [string, string] => [
    name,
    typeof value === 'string' ? value : (JSON.stringify(value) ?? ''),
  ])
  if (method === 'get') return fetch(`${url}?${new URLSearchParams(text)}`)
  return fetch(url, {
    method: 'POST',
    ...(form
      ? { body: new URLSearchParams(text) }
      : { body: JSON.stringify(fields), headers: { 'Content-Type': 'application/json' } }),
  })
}

test('every route keeps to its own description under random requests, and refusals change nothing', async () => {
  const operations = Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ path, method, operation })),
  )
  const requests = fc.sample(
    fc.oneof(...operations.map(({ path, method, operation }) => requestTo(path, method, operation))),
    { numRuns: total, seed: 16 },
  )
  const seen = new Map<number, number>()
  for (const [index, request] of requests.entries()) {
    if (index % 20 === 0) {
      // Faults and an empty account would spoil the filling.
      sandbox.faults.clear()
      sandbox.account.setCredits(1_000)
      await fill()
    }
    const before = remembered()
    const response = await send(request)
    const { status } = response
    seen.set(status, (seen.get(status) ?? 0) + 1)
    const body: unknown = await response.json()
    const what = JSON.stringify({ request, status, body }).slice(0, 1_000)
    const validator = validatorOf(request, status)
    expect(validator, `an undocumented status: ${what}`).toBeDefined()
    expect(validator?.safeParse(body).error, what).toBeUndefined()
    if (status !== 200 || request.method === 'get') {
      expect(remembered() === before, what).toBe(true)
    }
  }
  console.log(
    `${total} random requests to ${operations.length} operations: ${JSON.stringify(Object.fromEntries(seen))}`,
  )
  expect(seen.get(200)).toBeGreaterThan(total / 5)
  expect(seen.get(400)).toBeGreaterThan(total / 5)
})
