import { defineConfig } from 'vitest/config'
import config from '../../test/vitest.config.js'

export default defineConfig({
  ...config,
  // With every line watched, some tests take their time.
  test: {
    ...JSON.parse(process.env.MUTATION_TESTS ?? '{}'),
    setupFiles: 'test/setup.ts',
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // The files of one run share a worker, which loads `src` once; each mutant gets a worker of its own.
    isolate: false,
  },
})
