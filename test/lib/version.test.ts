import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { version } from '../../src/lib/version.js'

it('the version is that of package.json', () => {
  const manifest = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'))
  expect(version).toBe(manifest.version)
})
