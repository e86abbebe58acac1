// Compares what the client sends and reads with what it did at an earlier commit: the same generated parameters
// and answers go to both, and each kind of difference is listed. By hand: node test/provider/differential.js [commit]
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'

/** The last commit before the operations were described in zod. */
const [commit = '3e0a128'] = process.argv.slice(2)
const runs = 100_000
const root = fileURLToPath(new URL('../..', import.meta.url))
const scratch = mkdtempSync(join(tmpdir(), 'differential-'))

const before = await build('before', ['archive', commit])
const after = await build('after', ['archive', 'HEAD'])
const operations = Object.keys(after.operations)
compare('parameters', parameters(), encoded)
compare('answers', answers(), read)
rmSync(scratch, { recursive: true })

/** The source of a commit, compiled: its encoder and its reader. */
async function build(name, archive) {
  const folder = join(scratch, name)
  mkdirSync(folder)
  const tree = execFileSync('git', [...archive, 'src', 'tsconfig.json', 'package.json'], {
    cwd: root,
    maxBuffer: 2 ** 28,
  })
  execFileSync('tar', ['-x', '-C', folder], { input: tree })
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
  execFileSync(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-p', folder])
  const load = (file) => import(join(folder, 'build/modules/provider', file))
  const wire = await load('wire.js').catch(async () => ({
    ...(await load('parameters.js')),
    ...(await load('results.js')),
  }))
  const { camelCase = wire.camelCase } = await load('answer-schemas.js').catch(() => wire)
  return { ...wire, camelCase, ...(await load('operations.js')) }
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
  }
  if (kinds.size === 0) console.log('  no difference')
}

/** Such as `dispatch_id` and `dispatchId`. */
function hasTwoSpellings(text = '') {
  const names = new Set([...text.matchAll(/"([\w-]+)":/g)].map(([, name]) => name))
  return new Set([...names].map((name) => after.camelCase(name))).size < names.size
}

function encoded({ encodeParams }, { operation, params, numberFormat, further }) {
  try {
    return { done: encodeParams(operation, params, numberFormat, further) }
  } catch (error) {
    return { error: `${error.name}: ${error.message}` }
  }
}

function read({ readAnswer }, { operation, httpStatus, text }) {
  try {
    const answered = { delivery: 'answered', httpStatus, headers: {}, text }
    const result = readAnswer(operation, answered, 'client=1&key=k&phone=573001234567&code=482913')
    return { done: result, raw: result.raw }
  } catch (error) {
    return { error: `${error.name}: ${error.message}`, raw: error.raw }
  }
}

function parameters() {
  const phone = fc.constantFrom(
    ...['573001234567', '+573001234567', '1234567', '123456', '1234567890123456', '57 300', '', '٥٧٣٠٠١٢٣'],
    ...['573001234567,573007654321', '573001234567, +573007654321', ' 573001234567', '573001234567,', ','],
    ...[573001234567, null, ['573001234567'], ['+573001234567', '573007654321'], [], ['1,2'], new Array(2)],
    ...[['573001234567,573007654321'], [573001234567], ['573001234567', undefined], ['573001234567', '12']],
  )
  const text = fc.oneof(
    fc.constantFrom('Acme', 'a & b=c', '', ' ', '\n', 'ñ', '😀', 'a\ud83d', 5, true, null, ['a'], {}),
    fc.string({ unit: 'binary', maxLength: 8 }),
  )
  const number = fc.constantFrom(
    ...[
      0,
      1,
      2,
      3,
      4,
      10,
      -1,
      1.5,
      Number.NaN,
      2 ** 53,
      1e21,
      '0',
      '1',
      '2',
      '3',
      '4',
      '03',
      '1e1',
      ' 2',
      '',
    ],
    ...['9007199254740993', '12345678901234567', true, null, [2]],
  )
  const day = fc.constantFrom(
    ...['2026-03-01', '2026-02-30', '2026-13-01', '01-03-2026', '', 5, null, '2024-02-29', '0000-01-01'],
    ...[new Date(0), new Date('2026-03-02T23:59:59Z'), new Date(Number.NaN), ['2026-03-01'], '+002026-03-01'],
  )
  const url = fc.oneof(
    fc.constantFrom(
      ...['https://a.example/?b=c', 'javascript:alert(1)', ' JavaScript:alert(1)', 'java\tscript:alert(1)'],
      ...['data:text/html,x', 'blob:https://a.example', 'mailto:a@example.com', 'x', '', ' ', 5],
    ),
    fc.string({ maxLength: 12 }),
  )
  const values = {
    phone,
    retries: number,
    expirationTimeStatistics: number,
    since: day,
    until: day,
    urlLong: url,
    voice: fc.constantFrom('Marian', 'Mariana', 'Mia', 'mia', 'Ana', '', 5, null, ['Mia'], 'constructor'),
    category: fc.constantFrom('date', 'lang', 'planet', '', 5, null),
    countryCode: fc.constantFrom('CO', 'co', 'UK', 'XK', 'AQ', '', ' CO', 5, null),
    leaveVoicemail: fc.constantFrom(true, false, 'true', 0, null),
    isPremium: fc.constantFrom(true, false, 'false', 1, null),
  }
  const further = fc.dictionary(
    fc.constantFrom('channel', 'client', 'key', 'app-name', 'app name', '\ud83d', 'constructor'),
    fc.constantFrom('CALL', 5, true, null, undefined, 'a\ud83d', [1]),
    { maxKeys: 1 },
  )
  const perOperation = operations.map((operation) => {
    const names = Object.keys(after.operations[operation].params()).map((name) =>
      name.replace(/-(\w)/g, (_, letter) => letter.toUpperCase()),
    )
    // Mostly what fits, so that one mistake stands alone.
    const good = { phone: '573001234567', retries: 2, since: '2026-03-01', until: '2026-03-02', voice: 'Mia' }
    const others = {
      urlLong: 'https://a.example',
      countryCode: 'CO',
      category: 'date',
      expirationTimeStatistics: 0,
    }
    const fitting = { ...good, ...others, leaveVoicemail: true, isPremium: false }
    const params = fc.record(
      Object.fromEntries(
        names.map((name) => [
          name,
          fc.oneof(
            { weight: 5, arbitrary: fc.constant(fitting[name] ?? 'Acme') },
            { weight: 1, arbitrary: fc.constant(undefined) },
            { weight: 2, arbitrary: values[name] ?? text },
          ),
        ]),
      ),
      { requiredKeys: [] },
    )
    return fc
      .tuple(params, fc.oneof({ weight: 4, arbitrary: fc.constant({}) }, further))
      .map(([own, more]) => ({ operation, params: { ...own, ...more } }))
  })
  return fc
    .tuple(fc.oneof(...perOperation), fc.constantFrom('digits', 'plus'), fc.constantFrom('refused', 'sent'))
    .map(([given, numberFormat, rule]) => ({ ...given, numberFormat, further: rule }))
}

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
  const written = (members) => `{${members.map(([key, value]) => `"${key}":${value}`).join(',')}}`
  const flat = fc.array(fc.tuple(name, scalar), { maxLength: 5 }).map(written)
  const tally = fc
    .array(fc.tuple(fc.constantFrom('property', 'clicks', 'percent', 'date', 'region', 'x_y'), scalar), {
      maxLength: 3,
    })
    .map(written)
  const category = fc.constantFrom('date', 'hour', 'city', 'brand', 'lang', 'planet')
  const metric = fc.array(fc.tuple(category, fc.oneof(tally, scalar)), { maxLength: 3 }).map(written)
  const listOf = (entry) =>
    fc.oneof(
      entry,
      scalar,
      fc.array(fc.oneof({ weight: 4, arbitrary: entry }, scalar), { maxLength: 3 }).map((all) => `[${all}]`),
    )
  const nested = fc.oneof(
    listOf(flat).map((value) => ['data', value]),
    listOf(metric).map((value) => ['metrics', value]),
  )
  const top = fc
    .array(fc.oneof({ weight: 4, arbitrary: fc.tuple(name, scalar) }, nested), { maxLength: 7 })
    .map(written)
  const text = fc.oneof(
    { weight: 12, arbitrary: top },
    { weight: 2, arbitrary: listOf(flat) },
    { weight: 1, arbitrary: fc.constantFrom('', 'null', '<html>', '{', '\ufeff{"id":"a"}') },
  )
  return fc.record({
    operation: fc.constantFrom(...operations),
    httpStatus: fc.constantFrom(200, 200, 200, 200, 200, 400, 520),
    text,
  })
}
