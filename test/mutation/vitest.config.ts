import { defineConfig } from 'vitest/config'
import config from '../vitest.config.js'

export default defineConfig({
  ...config,
  // With every line watched, some tests take their time.
  test: {
    ...JSON.parse(process.env.MUTATION_TESTS ?? '{}'),
    setupFiles: 'test/setup.ts',
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
})
