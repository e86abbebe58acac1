import request from 'supertest'
import { expect, test } from 'vitest'
import * as twoFactor from '../../../src/index.js'
import * as sandbox from '../../../src/tools/sandbox/index.js'
import { blocksOf, read } from '../../documents.js'
import { runSample, samples } from '../../sample.js'
import * as app from './app.js'

test('the document on the sandbox shows the example that is run here', () => {
  const example = read('test/tools/sandbox/example.test.ts')
    .replace("'../../../src/index.js'", "'express-two-factor'")
    .replace("'../../../src/tools/sandbox/index.js'", "'express-two-factor/sandbox'")
  // Sorted by line, because the imports stand in another order where their paths differ.
  const sorted = (code: string) => [...code.split('\n')].sort()
  expect(blocksOf(read('docs/sandbox.md'), 'ts').map(sorted)).toContainEqual(sorted(example))
})

test('the test for Jest in the document signs in with a code', async () => {
  const modules: Readonly<Record<string, unknown>> = {
    supertest: request,
    'express-two-factor': twoFactor,
    'express-two-factor/sandbox': sandbox,
    './app': app,
  }
  const tests: (() => Promise<void>)[] = []
  await runSample(samples('docs/sandbox.md', 'jest'), {
    require: (name: string) => modules[name],
    test: (_title: string, run: () => Promise<void>) => tests.push(run),
  })
  expect(tests).toHaveLength(1)
  for (const run of tests) await run()
})
