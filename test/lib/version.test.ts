import { expect, it } from 'vitest'
import manifest from '../../package.json' with { type: 'json' }
import { version } from '../../src/lib/version.js'

it('the version is equal to package.json', () => {
  expect(version).toBe(manifest.version)
})
