import { describe, expect, it } from 'vitest'
import { exportedSymbols } from './exported.js'

const symbols = exportedSymbols()
const namesOf = (some: typeof symbols) => some.map(({ name }) => name)

describe('what the package exports', () => {
  it('is found through every entry', () => {
    const names = namesOf(symbols)
    for (const name of [
      'src/two-factor.ts: twoFactor',
      'src/store/store.ts: Store.read',
      'src/provider/client.ts: ProviderClient.sendSmsCode',
      'src/tools/sandbox/inbox.ts: WaitOptions.timeoutMs',
      'src/errors.ts: TwoFactorError.status',
    ]) {
      expect(names).toContain(name)
    }
  })

  it('has a docstring, each symbol and each member', () => {
    expect(namesOf(symbols.filter(({ docstring }) => docstring === ''))).toEqual([])
  })

  it('shows how each function is called', () => {
    const functions = symbols.filter(({ kind }) => kind === 'function')
    expect(functions.length).toBeGreaterThan(10)
    expect(namesOf(functions.filter(({ docstring }) => !docstring.includes('@example')))).toEqual([])
  })
})
