import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  type ClientOptions,
  createClient,
  judge,
  ProviderError,
  type VerdictRules,
} from '../../src/provider/index.js'
import { enough } from '../in-full.js'

const answers = enough(80_000, { inFull: 200_000 })

/** One answer as it travels. The body is written by hand, so that members may repeat. */
interface Wire {
  readonly httpStatus: number
  readonly members: readonly (readonly [name: string, json: string])[] | undefined
  readonly body: string
}

const rules: Required<VerdictRules> = {
  approvedStatuses: ['verified', '1'],
  rejectedCodes: [],
  accountErrorCodes: ['1003'],
}

const oneOf = (values: string) => fc.constantFrom(...values.split('|'))
const json = oneOf(
  '"verified"|"1"|1|1.0|"Verified"|" verified"|"verified "|"success"|""|"0"|0|-0|null|true|false|"true"|"false"|' +
    '[]|{}|["verified"]|[1]|{"status":1}|200|1003|"1003"|1007|"1007"|2|1e2|"wrong code"|"\\u0076erified"|{"error":0}',
)
const name = oneOf(
  'status|status|status|status|error|error|msg|verified|valid|approved|success|' +
    'httpStatus|httpStatus|__proto__|st\\u0061tus|Status|data|constructor',
)
const httpStatus = oneOf('200|200|200|200|201|204|302|400|401|403|404|429|500|503|520|526').map(Number)
const text = oneOf('|null|true|1|"verified"|[]|[{"status":"verified"}]|<html>|{')

const object = fc.array(fc.tuple(name, json), { maxLength: 5 }).map((members) => ({
  members,
  body: `{${members.map(([key, value]) => `"${key}":${value}`).join(',')}}`,
}))
const plain = text.map((body) => ({ members: undefined, body }))
const answer: fc.Arbitrary<Wire> = fc
  .tuple(httpStatus, fc.oneof({ weight: 15, arbitrary: object }, { weight: 1, arbitrary: plain }))
  .map(([status, written]) => ({ httpStatus: status, ...written }))

/** The rule once more, said about what was written rather than about what was parsed. */
function mayApprove({ httpStatus: status, members }: Wire): boolean {
  if (status !== 200 || members === undefined) return false
  const named = (wanted: string) =>
    members.filter(([key]) => key.replace('\\u0061', 'a') === wanted).map(([, value]) => value)
  const [only, ...more] = named('status')
  if (only === undefined || more.length > 0) return false
  if (!['"verified"', '"\\u0076erified"', '"1"', '1', '1.0'].includes(only)) return false
  if (named('error').some((error) => !['null', '0', '-0', '"0"', '""', 'false'].includes(error))) return false
  return !['verified', 'valid', 'approved', 'success'].some((denial) => named(denial).at(-1) === 'false')
}

type Approves = (wire: Wire) => Promise<boolean> | boolean

/** Fails when an answer is approved outside the rule, with the seed and the smallest such answer in its message. */
function holds(approves: Approves, numRuns: number): Promise<void> {
  const property = fc.asyncProperty(answer, async (wire) => {
    if ((await approves(wire)) && !mayApprove(wire)) throw new Error('approved outside the rule')
  })
  return fc.assert(property, { numRuns, includeErrorInReport: true })
}

/** A client whose dispatcher answers from memory: the decoding and judging are real, the socket is not needed. */
function answeringClient() {
  let next: Wire = { httpStatus: 200, members: [], body: '{}' }
  const controller = { abort() {}, pause() {}, resume() {}, aborted: false, paused: false, reason: null }
  const dispatcher = {
    dispatch(_options, handler) {
      handler.onRequestStart?.(controller, undefined)
      handler.onResponseStart?.(controller, next.httpStatus, {})
      if (next.body !== '') handler.onResponseData?.(controller, Buffer.from(next.body))
      handler.onResponseEnd?.(controller, {})
      return true
    },
  } as NonNullable<ClientOptions['dispatcher']>
  const client = createClient({ baseUrl: 'https://provider.example/v1', client: 1, key: 'k', dispatcher })
  return {
    client,
    answer(wire: Wire) {
      next = wire
    },
  }
}

const phone = '573001234567'

describe('over generated answers', () => {
  test('none is approved outside the rule, and those within it are', async () => {
    const { client, answer: give } = answeringClient()
    let judged = 0
    let approved = 0
    const approves: Approves = async (wire) => {
      judged += 1
      give(wire)
      const verdict = await client.verifyCode({ phone, appName: 'Acme', code: '1' }).then(
        (complete) => judge(complete, rules),
        (error: unknown) => {
          if (!(error instanceof ProviderError)) throw error
          return 'unavailable' as const
        },
      )
      if (verdict === 'approved') approved += 1
      return verdict === 'approved'
    }
    await holds(approves, answers)
    expect(judged).toBe(answers)
    expect(approved).toBeGreaterThan(answers / 250)
  })

  test('no operation throws anything but a ProviderError', async () => {
    const { client, answer: give } = answeringClient()
    const calls = [
      () => client.balance(),
      () => client.blockPhone({ phone }),
      () => client.sendSms({ phone, sms: 'Hi' }),
      () => client.sendCall({ phone, audioCode: 'a' }),
      () => client.messageState({ id: 'g1' }),
      () => client.sendSmsCode({ phone, appName: 'Acme' }),
      () => client.sendCallCode({ phone, appName: 'Acme', voice: 'Mia', retries: 1 }),
      () => client.verifyCode({ phone, appName: 'Acme', code: '1' }),
      () => client.shortenUrl({ name: 'a', urlLong: 'https://a.example' }),
      () => client.urlStatistics({ nameUrl: 'a', since: '2026-03-01', until: '2026-03-02' }),
    ]
    // Any JSON at all, under the names that the operations read.
    const names = oneOf('status|balance|data|metrics|phone|id|error|msg|__proto__')
    const anything = fc.oneof(
      fc
        .dictionary(names, fc.jsonValue({ maxDepth: 3 }), { maxKeys: 6 })
        .map((value) => JSON.stringify(value)),
      fc.json({ maxDepth: 3 }),
      fc.string({ maxLength: 20 }),
    )
    const property = fc.asyncProperty(httpStatus, anything, async (status, body) => {
      give({ httpStatus: status, members: undefined, body })
      for (const call of calls) {
        await call().catch((error: unknown) => {
          if (!(error instanceof ProviderError)) throw error
        })
      }
    })
    await fc.assert(property, { numRuns: enough(1_500, { inFull: 3_000 }) })
  })
})

describe('the property finds a judge that', () => {
  type Members = Readonly<Record<string, unknown>>

  const parse = ({ body }: Wire): Members => {
    try {
      return Object(JSON.parse(body))
    } catch {
      return {}
    }
  }
  /** Reads as it should: each bug below is the only one. */
  const read = (wire: Wire): Members => {
    const names = wire.members?.map(([key]) => key.replace('\\u0061', 'a')) ?? []
    return new Set(names).size === names.length ? parse(wire) : { ...parse(wire), status: undefined }
  }
  const judged = (wire: Wire, members: Members = read(wire)) =>
    judge({ ...members, httpStatus: wire.httpStatus }, rules) === 'approved'
  const without = (members: Members, ...names: string[]) =>
    Object.fromEntries(Object.entries(members).filter(([key]) => !names.includes(key)))
  const withStatus = (wire: Wire, change: (status: unknown) => unknown) =>
    judged(wire, { ...read(wire), status: change(read(wire).status) })

  const seeded: Readonly<Record<string, Approves>> = {
    'takes no error for a success': (wire) => wire.httpStatus === 200 && !read(wire).error,
    'forgets the HTTP status': (wire) => judged({ ...wire, httpStatus: 200 }, read(wire)),
    'lets the body name the HTTP status': (wire) =>
      judge({ httpStatus: wire.httpStatus, ...read(wire) }, rules) === 'approved',
    'forgets the error': (wire) => judged(wire, without(read(wire), 'error')),
    'takes an empty list for no error': (wire) =>
      judged(wire, String(read(wire).error) === '' ? without(read(wire), 'error') : read(wire)),
    'forgets the denials': (wire) =>
      judged(wire, without(read(wire), 'verified', 'valid', 'approved', 'success')),
    'takes true for 1': (wire) => withStatus(wire, (status) => (status === true ? 1 : status)),
    'ignores case': (wire) => withStatus(wire, (status) => String(status).toLowerCase()),
    'reads a list as text': (wire) => withStatus(wire, String),
    'keeps the last of two statuses': (wire) => judged(wire, parse(wire)),
    'reads what an answer inherits': (wire) => {
      const { status, error } = Object.assign({}, read(wire)) as Members
      return judged(wire, { ...without(read(wire), 'error'), status, error })
    },
  }

  test.each(Object.entries(seeded))('%s', async (_bug, approves) => {
    await expect(holds(approves, answers)).rejects.toThrow('approved outside the rule')
  })

  test('has a bug, and no other', async () => {
    await holds((wire) => judged(wire), 20_000)
  })
})
