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
  type Step = () => Promise<void>
  const steps = new Map<string, Step>()
  await runSample(samples('docs/sandbox.md', 'jest'), {
    require: (name: string) => modules[name],
    beforeAll: (step: Step) => steps.set('before', step),
    test: (_title: string, step: Step) => steps.set('test', step),
    afterAll: (step: Step) => steps.set('after', step),
  })
  expect(steps.size).toBe(3)
  for (const name of ['before', 'test', 'after']) await steps.get(name)?.()
})
