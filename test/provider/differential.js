// Compares what the client sends and reads with what it did before the operations were described in zod: the same
// generated parameters and answers go to both, and each kind of difference is listed.
// By hand: npm run differential, `-- commit` for another one
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { camelCase } from '../../build/modules/provider/answer-schemas.js'
import { operations } from '../../build/modules/provider/operations.js'
import * as after from '../../build/modules/provider/wire.js'

const [commit = '3e0a128'] = process.argv.slice(2)
const runs = 100_000
const root = fileURLToPath(new URL('../..', import.meta.url))

const before = await modulesOf(commit)
compare('parameters', parameters(), encoded)
compare('answers', answers(), read)

/** What encodes and reads at that commit, compiled. */
async function modulesOf(commit) {
  const folder = mkdtempSync(join(tmpdir(), 'differential-'))
  process.once('exit', () => rmSync(folder, { recursive: true }))
  const input = execFileSync('git', ['archive', commit, 'src', 'tsconfig.json', 'package.json'], {
    cwd: root,
    maxBuffer: 2 ** 28,
  })
  execFileSync('tar', ['-x', '-C', folder], { input })
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
  execFileSync(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-p', folder])
  const load = (file) => import(join(folder, 'build/modules/provider', file))
  return load('wire.js').catch(async () => ({
    ...(await load('parameters.js')),
    ...(await load('results.js')),
  }))
}

function compare(what, arbitrary, outcomeOf) {
  const kinds = new Map()
  let succeeded = 0
  for (const given of fc.sample(arbitrary, { numRuns: runs, seed: 31 })) {
    const [old, now] = [outcomeOf(before, given), outcomeOf(after, given)]
    if (old.error === undefined) succeeded += 1
    if (isDeepStrictEqual(old, now)) continue
    const kind = hasTwoSpellings(given.text)
      ? 'wanted: of two spellings of one name the documented one counts'
      : `${given.operation}: ${old.error ?? 'done'} -> ${now.error ?? 'done'}`
    kinds.set(kind, [...(kinds.get(kind) ?? []), { given, old, now }])
  }
  console.log(`${what}: ${runs} compared with ${commit}, ${succeeded} of them were no refusal`)
  for (const [kind, cases] of kinds) {
    console.log(`  ${cases.length} times ${kind}, such as ${JSON.stringify(cases[0])}`)
    if (!kind.startsWith('wanted')) process.exitCode = 1
  }
  if (kinds.size === 0) console.log('  no difference')
}

/** Such as `dispatch_id` and `dispatchId`. */
function hasTwoSpellings(text = '') {
  const names = new Set([...text.matchAll(/"([\w-]+)":/g)].map(([, name]) => name))
  return new Set([...names].map(camelCase)).size < names.size
}

function encoded({ encodeParams }, { operation, params, numberFormat, further }) {
  return outcome(() => ({ done: encodeParams(operation, params, numberFormat, further) }))
}

function read({ readAnswer }, { operation, httpStatus, text }) {
  const form = 'client=1&key=k&phone=573001234567&code=482913'
  return outcome(() => {
    const done = readAnswer(operation, { delivery: 'answered', httpStatus, headers: {}, text }, form)
    return { done, raw: done.raw }
  })
}

function outcome(attempt) {
  try {
    return attempt()
  } catch (error) {
    return { error: `${error.name}: ${error.message}`, raw: error.raw }
  }
}

/** Mostly what fits, so that one mistake stands alone. */
function parameters() {
  const numbers = ['+573001234567', '+573007654321']
  const phone = [
    ...[...numbers, '1234567', '123456', '1234567890123456', '57 300', '', '٥٧٣٠٠١٢٣', 573001234567, null],
    ...['573001234567,573007654321', '573001234567, +573007654321', ' 573001234567', '573001234567,', ','],
    ...[numbers, ['573001234567'], [], ['1,2'], new Array(2), ['573001234567,573007654321'], [573001234567]],
    ...[
      ['573001234567', undefined],
      ['573001234567', '12'],
    ],
  ]
  const number = [
    ...[0, 1, 2, 3, 4, 10, -1, 1.5, Number.NaN, 2 ** 53, 1e21, true, null, [2], '', '0', '1', '2', '3', '4'],
    ...['03', '1e1', ' 2', '9007199254740993', '12345678901234567'],
  ]
  const day = [
    ...['2026-03-01', '2026-02-30', '2026-13-01', '01-03-2026', '', 5, null, '2024-02-29', '0000-01-01'],
    ...[new Date(0), new Date('2026-03-02T23:59:59Z'), new Date(Number.NaN), ['2026-03-01'], '+002026-03-01'],
  ]
  const urlLong = [
    ...['https://a.example/?b=c', 'javascript:alert(1)', ' JavaScript:alert(1)', 'java\tscript:alert(1)'],
    ...['data:text/html,x', 'blob:https://a.example', 'mailto:a@example.com', 'x', '', ' ', 5],
  ]
  const text = ['Acme', 'a & b=c', '', ' ', '\n', 'ñ', '😀', 'a\ud83d', 5, true, null, ['a'], {}]
  const values = {
    phone: { fits: '573001234567', others: phone },
    retries: { fits: 2, others: number },
    expirationTimeStatistics: { fits: 0, others: number },
    since: { fits: '2026-03-01', others: day },
    until: { fits: '2026-03-02', others: day },
    urlLong: { fits: 'https://a.example', others: urlLong },
    voice: { fits: 'Mia', others: ['Marian', 'Mariana', 'mia', 'Ana', '', 5, null, ['Mia'], 'constructor'] },
    category: { fits: 'date', others: ['lang', 'planet', '', 5, null] },
    countryCode: { fits: 'CO', others: ['co', 'UK', 'XK', 'AQ', '', ' CO', 5, null] },
    leaveVoicemail: { fits: true, others: [false, 'true', 0, null] },
    isPremium: { fits: false, others: [true, 'false', 1, null] },
  }
  function valuesOf(name) {
    const { fits, others } = values[name] ?? { fits: 'Acme', others: text }
    return fc.oneof(
      { weight: 10, arbitrary: fc.constantFrom(fits) },
      { weight: 2, arbitrary: fc.constantFrom(undefined) },
      { weight: 3, arbitrary: fc.constantFrom(...others) },
      { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 12 }) },
    )
  }
  const undocumented = fc.dictionary(
    fc.constantFrom('channel', 'client', 'key', 'app-name', 'app name', '\ud83d', 'constructor'),
    fc.constantFrom('CALL', 5, true, null, undefined, 'a\ud83d', [1]),
    { maxKeys: 1 },
  )
  const calls = Object.entries(operations).map(([operation, { params }]) => {
    const names = Object.keys(params()).map(camelCase)
    const own = fc.record(Object.fromEntries(names.map((name) => [name, valuesOf(name)])), {
      requiredKeys: [],
    })
    const more = fc.oneof({ weight: 4, arbitrary: fc.constant({}) }, undocumented)
    return fc.tuple(own, more).map((both) => ({ operation, params: Object.assign({}, ...both) }))
  })
  const manner = {
    numberFormat: fc.constantFrom('digits', 'plus'),
    further: fc.constantFrom('refused', 'sent'),
  }
  return fc.tuple(fc.oneof(...calls), fc.record(manner)).map((both) => Object.assign({}, ...both))
}

/** JSON that a service may write, and some text that is none. */
function answers() {
  const scalar = fc.constantFrom(
    ...[
      '"verified"',
      '"1"',
      '1',
      '0',
      '-0',
      '1.5',
      '"1.5"',
      '" 7 "',
      '"1e3"',
      '1e999',
      '12345678901234567890',
    ],
    ...[
      '9007199254740991',
      '9007199254740993',
      '""',
      '"many"',
      'true',
      'false',
      'null',
      '573001234567',
      '[]',
    ],
    ...['{}', '["x"]', '"+573001234567"', '"0x10"', '"-3"', '{"status":1}'],
  )
  const name = fc.constantFrom(
    ...['id', 'status', 'state', 'phone', 'credits', 'balance', 'sms', 'message', 'voice', 'name', 'created'],
    ...['dispatch_id', 'dispatchId', 'minutes_to_expire', 'minutesToExpire', 'urlShort', 'url-short', 'msg'],
    ...['clicksNumber', 'some_thing', '__proto__', 'constructor', 'toString', 'error', 'httpStatus', 'raw'],
  )
  const objectOf = (members, maxLength) =>
    fc
      .array(members, { maxLength })
      .map((all) => `{${all.map(([key, value]) => `"${key}":${value}`).join(',')}}`)
  const listOf = (entry) =>
    fc.oneof(
      entry,
      scalar,
      fc.array(fc.oneof({ weight: 4, arbitrary: entry }, scalar), { maxLength: 3 }).map((all) => `[${all}]`),
    )
  const flat = objectOf(fc.tuple(name, scalar), 5)
  const counted = fc.constantFrom('property', 'clicks', 'percent', 'date', 'region', 'x_y')
  const category = fc.constantFrom('date', 'hour', 'city', 'brand', 'lang', 'planet')
  const metric = objectOf(fc.tuple(category, fc.oneof(objectOf(fc.tuple(counted, scalar), 3), scalar)), 3)
  const member = fc.oneof(
    { weight: 4, arbitrary: fc.tuple(name, scalar) },
    fc.tuple(fc.constant('data'), listOf(flat)),
    fc.tuple(fc.constant('metrics'), listOf(metric)),
  )
  return fc.record({
    operation: fc.constantFrom(...Object.keys(operations)),
    httpStatus: fc.constantFrom(200, 200, 200, 200, 200, 400, 520),
    text: fc.oneof(
      { weight: 12, arbitrary: objectOf(member, 7) },
      { weight: 2, arbitrary: listOf(flat) },
      fc.constantFrom('', 'null', '<html>', '{', '\ufeff{"id":"a"}'),
    ),
  })
}
