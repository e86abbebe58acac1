import { describe, expect, test } from 'vitest'
import { calibrationOf, codePatternOf, wrongCodeLike } from '../../../src/tools/cli/calibration.js'
import { maskAnswer, notesOn, optionLine, optionLines } from '../../../src/tools/cli/conclusion.js'
import { describeAnswer } from '../../../src/tools/cli/quote.js'
import { noteOnReplacement } from '../../../src/tools/cli/replacement.js'

const echo = 'own'
const right = { httpStatus: 200, status: 'verified' }
const wrong = { httpStatus: 520, error: '1111', msg: 'The code is wrong.' }

describe('what the answers of an account mean', () => {
  test.each([
    ['an error', wrong, ['1111']],
    ['an error that is a number', { httpStatus: 400, error: 1111 }, ['1111']],
    ['an error beside the status of a right code', { httpStatus: 200, status: 'verified', error: 7 }, ['7']],
    ['another status', { httpStatus: 200, status: 'rejected' }, []],
  ])('distinguishes a correct code from a wrong one with the response %s', (_, answer, rejectedCodes) => {
    expect(calibrationOf({ echo, wrong: answer, right })).toEqual({
      outcome: 'told_apart',
      echo,
      approvedStatuses: ['verified'],
      rejectedCodes,
    })
  })

  test('is nothing to paste where every code would be void', () => {
    expect(calibrationOf({ echo: 'others', wrong, right })).toEqual({ outcome: 'foreign_number' })
  })

  test('lists a number as the text that it is compared as', () => {
    expect(calibrationOf({ echo, wrong, right: { httpStatus: 200, status: 1 } })).toMatchObject({
      approvedStatuses: ['1'],
    })
  })

  test.each([
    ['works twice', right, { rejectedCodes: ['1111'], usedOnce: false }],
    ['is good for one check', wrong, { rejectedCodes: ['1111'], usedOnce: true }],
    [
      'has an error of its own once it was used',
      { httpStatus: 520, error: '1113' },
      { rejectedCodes: ['1111', '1113'], usedOnce: true },
    ],
    // In the list, the error of an account would pass for that of a wrong code.
    ['met a refused account', { httpStatus: 520, error: 1003 }, { rejectedCodes: ['1111'] }],
  ])('reports that a code %s', (_, again, found) => {
    expect(calibrationOf({ echo, wrong, right, again })).toEqual({
      outcome: 'told_apart',
      echo,
      approvedStatuses: ['verified'],
      ...found,
    })
  })

  const ok = (members: object) => ({ httpStatus: 200, ...members })
  test.each([
    ['alike', 'the same status', ok({ status: 'verified' }), right],
    ['alike', 'the same number, once as a text', ok({ status: '1' }), ok({ status: 1 })],
    ['alike', 'no status', ok({}), ok({})],
    ['alike', 'errors that are none', ok({ status: 'ok', error: 0 }), ok({ status: 'ok' })],
    // Which no list can hold.
    ['alike', 'a denial', ok({ status: '1', verified: false }), ok({ status: '1', verified: true })],
    ['not_approved', 'an error', wrong, wrong],
    ['not_approved', 'an error beside a status', wrong, ok({ status: 'verified', error: '1' })],
    ['not_approved', 'another HTTP status', wrong, { httpStatus: 201, status: 'verified' }],
    ['not_approved', 'no status', wrong, ok({})],
    ['not_approved', 'a status that is no word', wrong, ok({ status: true })],
    ['not_approved', 'a denial', wrong, ok({ status: 'verified', valid: false })],
    ['not_approved', 'a status that quotes what was sent', wrong, ok({ status: 'verified •••' })],
    ['not_rejected', 'the success schema under HTTP 400', { httpStatus: 400, status: 'verified' }, right],
    ['not_rejected', 'no status of the wrong code', ok({}), right],
    ['outage', 'a wrong code that meets 503', { httpStatus: 503, error: '1111' }, right],
    ['outage', 'a wrong code that meets 429', { httpStatus: 429, error: '1111' }, right],
    ['outage', 'a right code that meets 500', wrong, { httpStatus: 500, status: 'verified' }],
    [
      'account_refused',
      'a wrong code that meets an error of the account',
      { httpStatus: 520, error: 1003 },
      right,
    ],
    ['account_refused', 'a right code that meets 401', wrong, { httpStatus: 401 }],
  ])('is %s: %s', (outcome, _, wrongAnswer, rightAnswer) => {
    expect(calibrationOf({ echo, wrong: wrongAnswer, right: rightAnswer })).toEqual({ outcome })
  })

  const used = { httpStatus: 520, error: '1113' }
  const quoting = { httpStatus: 520, error: 'wrong code •••' }
  test.each([
    ['that of a wrong code quotes what was sent', quoting, undefined, []],
    ['that of a wrong code quotes what was sent, that of a used one does not', quoting, used, []],
    ['that of a used code quotes what was sent', wrong, quoting, []],
    ['a wrong code has none', { httpStatus: 200, status: 'rejected' }, used, ['1113']],
  ])('lists no error, or all, where %s', (_, first, again, rejectedCodes) => {
    const found = calibrationOf({ echo, wrong: first, right, again })
    expect(found).toMatchObject({ outcome: 'told_apart', rejectedCodes })
  })
})

describe('what a second code shows about the first one', () => {
  const minutes = 60_000
  const first = (answer?: object, ageMs = minutes, lifetimeMs?: number) => ({
    answer: answer && { httpStatus: 200, ...answer },
    ageMs,
    lifetimeMs,
  })
  test.each([
    ['ends it: as a wrong one', first(wrong), { rejectedCodes: ['1111'], replacesCodes: true }],
    [
      'shows nothing with an error of its own, which may have another reason',
      first({ httpStatus: 520, error: '1112' }),
      { rejectedCodes: ['1111', '1112'] },
    ],
    [
      'shows nothing with the error of a wrong code under another HTTP status',
      first({ ...wrong, httpStatus: 400 }),
      { rejectedCodes: ['1111'] },
    ],
    [
      'ends it, just in time',
      first(wrong, 4 * minutes - 1),
      { rejectedCodes: ['1111'], replacesCodes: true },
    ],
    ['leaves it valid', first(right), { rejectedCodes: ['1111'], replacesCodes: false }],
    ['is the same code', first(), { rejectedCodes: ['1111'], replacesCodes: false }],
    ['shows nothing: it may have expired', first(wrong, 4 * minutes), { rejectedCodes: ['1111'] }],
    [
      'ends it within the time that the send states',
      first(wrong, 2 * minutes - 1, 2.5 * minutes),
      { rejectedCodes: ['1111'], replacesCodes: true },
    ],
    [
      'shows nothing: it may have expired after the time that the send states',
      first(wrong, 2 * minutes, 2.5 * minutes),
      { rejectedCodes: ['1111'] },
    ],
    [
      'shows nothing after four minutes, even if the send states more',
      first(wrong, 4 * minutes, 10 * minutes),
      { rejectedCodes: ['1111'] },
    ],
    [
      'shows nothing with an error of the account',
      first({ httpStatus: 520, error: '1003' }),
      { rejectedCodes: ['1111'] },
    ],
    ['shows nothing in an outage', first({ httpStatus: 503, error: '1112' }), { rejectedCodes: ['1111'] }],
  ])('%s', (_, given, found) => {
    expect(calibrationOf({ echo, first: given, wrong, right })).toEqual({
      outcome: 'told_apart',
      echo,
      approvedStatuses: ['verified'],
      ...found,
    })
  })

  // The status may be that of a code that was replaced: in the list, it would approve such codes.
  const ended = { httpStatus: 200, status: 'rejected' }
  test.each([
    ['another status', { httpStatus: 200, status: 'replaced' }, wrong, right],
    ['an error', right, wrong, wrong],
    ['the status of a wrong code', right, ended, ended],
  ])('is nothing to paste if the first has a status of its own, and the second %s', (_, one, other, last) => {
    const given = { echo, first: first(one), wrong: other, right: last } as const
    expect(calibrationOf(given)).toEqual({ outcome: 'first_differs' })
  })

  const own = { httpStatus: 520, error: '1112' }
  test.each([
    [first(wrong), /^A new code ends the earlier ones[\s\S]*answer of a wrong code[\s\S]*not typed twice/],
    [{ ...first(wrong), isTypedTwice: true }, /^A new code ends the earlier ones(?![\s\S]*not typed twice)/],
    [
      first(own),
      /not determined[\s\S]*ask the provider[\s\S]*HTTP 520 {2}error '1112'[\s\S]*HTTP 520 {2}error '1111'/,
    ],
    [first(right), /does not end[\s\S]*appName of its own/],
    [first(), /does not end/],
    [first(own, 250_000), /not determined[\s\S]*250 s after its message[\s\S]*may have expired[\s\S]*again/],
    [first({ httpStatus: 503 }), /not determined[\s\S]*neither an approval[\s\S]*again/],
    [undefined, /calibrate --replaces/],
  ])('is in a note: %j', (one, note) => {
    const answers = { echo, first: one, wrong, right } as const
    const found = calibrationOf(answers)
    expect(noteOnReplacement(answers, 'replacesCodes' in found ? found.replacesCodes : undefined)).toMatch(
      note,
    )
  })
})

describe('the wrong code', () => {
  test.each([
    ['482913', '829134'],
    ['ABcd', 'BcdA'],
    ['000000', '000001'],
    ['9999', '9998'],
    ['ZZZZ', 'ZZZY'],
    ['zzzz', 'zzzy'],
    ['AAAA', 'AAAB'],
  ])('for %s is %s: different, with an equal shape', (code, other) => {
    expect(wrongCodeLike(code)).toBe(other)
  })
})

test.each([
  ['482913', '^\\d{6}$'],
  ['1BCD', '^[0-9A-Z]{4}$'],
  ['ab3d', '^[0-9a-z]{4}$'],
  ['aB3d5', '^[0-9A-Za-z]{5}$'],
])('the shape of codes is read off %s', (code, pattern) => {
  expect(codePatternOf(code)).toBe(pattern)
  expect(code).toMatch(new RegExp(pattern))
})

describe('an answer as it is shown', () => {
  const form = 'key=sesame-key&phone=573001234567&code=482913'

  test('quotes nothing that was sent', () => {
    const answer = { httpStatus: 200, status: '482913 to 573001234567', error: 482913, key: 'sesame-key' }
    expect(describeAnswer('right code', maskAnswer(answer, form))).toBe(
      "  right code   HTTP 200  status '••• to •••'  error '•••'",
    )
  })

  test('has the texts as a program would have them', () => {
    const status = "it's\u001b[31m \\ Leído\u202e\u009b\n"
    expect(describeAnswer('right code', { httpStatus: 200, status })).toBe(
      "  right code   HTTP 200  status 'it\\'s\\u{1b}[31m \\\\ Leído\\u{202e}\\u{9b}\\u{a}'",
    )
    const line = optionLine('approvedStatuses', [status])
    expect(new Function(`return {${line}}`)()).toEqual({ approvedStatuses: [status] })
  })

  test.each([
    [{ status: 1, error: 0 }, 'status 1  error 0'],
    [{ status: null, error: [] }, 'status null  error […]'],
    [{ status: { deep: '482913' } }, 'status {…}'],
    [{}, 'no status, no error'],
  ])('shows %j as %s', (members, shown) => {
    const answer = maskAnswer({ httpStatus: 200, ...members }, form)
    expect(describeAnswer('wrong code', answer)).toBe(`  wrong code   HTTP 200  ${shown}`)
  })
})

describe('what a calibration tells', () => {
  test('is the options, to paste', () => {
    const found = { approvedStatuses: ['1', 'verified'], rejectedCodes: [], calibratedAt: '2026-03-01' }
    expect(optionLines({ ...found, codePattern: '^\\d{6}$' }).split(/\n+ */)).toEqual([
      ...['For the options of twoFactor():', 'provider: providerCodes({', 'client,'],
      ...["approvedStatuses: ['1', 'verified'],", 'rejectedCodes: [],', "calibratedAt: '2026-03-01',", '}),'],
      'code: { pattern: /^\\d{6}$/ },',
    ])
    expect(optionLines({ ...found, codePattern: '^\\d{6}$', replacesCodes: false })).toMatch(
      /\n {4}calibratedAt: .*\n {4}replacesCodes: false,\n {2}\}\),/,
    )
    expect(optionLines({ ...found, codePattern: '^[0-9A-Z]{4}$' })).toMatch(
      /\n {2}code: .*, letters: true },$/,
    )
  })

  test.each([
    [{ rejectedCodes: ['1111'] }, [/^Any other error/]],
    [{ rejectedCodes: [], usedOnce: true }, [/^With an empty rejectedCodes/, /works only once/]],
    [{ rejectedCodes: [], usedOnce: false }, [/^With an empty rejectedCodes/, /^A CODE WORKS TWICE/]],
  ])('of %j is in its notes', (found, notes) => {
    const told = notesOn({ outcome: 'told_apart', echo, approvedStatuses: ['verified'], ...found })
    expect(told).toHaveLength(notes.length + 2)
    for (const note of notes) expect(told).toContainEqual(expect.stringMatching(note))
  })
})
