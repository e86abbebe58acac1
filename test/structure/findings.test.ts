import { readdirSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { noCalibration } from '../../src/tools/cli/calibration.js'
import { firstColumn, path, read, sectionOf } from '../documents.js'

const goingLive = read('docs/going-live.md')

/** The codes in the first column of the table under a heading. */
const documented = (heading: string) => firstColumn(sectionOf(goingLive, heading)).sort()

const codesIn = (...files: string[]) =>
  files.flatMap((file) => read(file).match(/(?<=code: ')[a-z]\w*(?=')/g) ?? [])
const unique = (codes: readonly string[]) => [...new Set(codes)].sort()
const ofStore = codesIn('src/store/redis-connection.ts')

it('the key of the account has one variable, in documents, messages and commands', () => {
  const files = [
    'docs/providers.md',
    'docs/going-live.md',
    'src/provider/client-options.ts',
    'src/tools/cli/account-flags.ts',
  ]
  const named = files.map((file) => unique(read(file).match(/[A-Z]\w*_KEY\b/g) ?? []))
  expect(named).toEqual(files.map(() => ['TWO_FACTOR_KEY']))
})

describe('docs/going-live.md lists every code, and no other,', () => {
  it('of doctor', () => {
    const checks = readdirSync(path('src/tools/cli')).filter((file) => /-checks?\.ts$/.test(file))
    const codes = checks.flatMap(
      (file) => read(`src/tools/cli/${file}`).match(/(?<=')[a-z]+_[a-z_]+(?=')/g) ?? [],
    )
    expect(documented('What doctor finds')).toEqual(unique([...codes, ...ofStore]))
  })

  it('of calibrate', () => {
    const codes = [
      'told_apart',
      ...Object.keys(noCalibration),
      ...codesIn('src/tools/cli/calibrate-command.ts'),
    ]
    expect(documented('What calibrate finds')).toEqual(unique(codes))
  })

  it('of selfTest', () => {
    const warnings = (read('src/express/host/warnings.ts').match(/(?<=^ {2}TWO_FACTOR_)\w+(?=:)/gm) ?? [])
      .filter((name) => !/^(?:PROVIDER|STORE)_/.test(name))
      .map((name) => name.toLowerCase())
    const codes = codesIn(
      'src/challenge/self-test.ts',
      'src/options/resolve.ts',
      'src/provider/code-adapter.ts',
      'src/provider/code-text.ts',
    )
    expect(documented('What selfTest finds')).toEqual(unique([...codes, ...warnings]))
  })
})
