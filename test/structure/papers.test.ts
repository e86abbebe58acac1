import { Buffer } from 'node:buffer'
import { expect, it } from 'vitest'
import { documents, read } from '../documents.js'

const bytes = (...files: string[]) => Buffer.byteLength(files.map(read).join(''))

// What is added takes the place of something: a reader has one evening.
it('the changelog is a page, and so is the README; all documents together are a booklet', () => {
  // A rebase over this page brings the old lines back, because the file merges by union: keep your own one.
  expect(bytes('CHANGELOG.md'), 'CHANGELOG.md').toBeLessThan(6_000)
  expect(bytes('README.md'), 'README.md').toBeLessThan(10_000)
  expect(bytes(...documents), 'README.md and docs').toBeLessThan(186_000)
})
