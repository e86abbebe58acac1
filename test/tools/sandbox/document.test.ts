import { expect, test } from 'vitest'
import { blocksOf, read } from '../../documents.js'

test('the document on the sandbox shows the example that is run here', () => {
  const example = read('test/tools/sandbox/example.test.ts')
    .replace("'../../../src/index.js'", "'express-two-factor'")
    .replace("'../../../src/tools/sandbox/index.js'", "'express-two-factor/sandbox'")
  // Sorted by line, because the imports stand in another order where their paths differ.
  const sorted = (code: string) => [...code.split('\n')].sort()
  expect(blocksOf(read('docs/sandbox.md'), 'ts').map(sorted)).toContainEqual(sorted(example))
})
