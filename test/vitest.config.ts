import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

const root = fileURLToPath(new URL('..', import.meta.url))

/** Suites that mount Express run once per Express line; all others run once. */
const mountsExpress = ['express', 'journeys', 'races', 'sandbox'].map(
  (folder) => `test/${folder}/**/*.test.ts`,
)

const atLeast = (percent: number) => ({ lines: percent, branches: percent })

export default defineConfig({
  root,
  test: {
    testTimeout: 20_000,
    hookTimeout: 20_000,
    coverage: {
      provider: 'v8',
      include: ['src/**'],
      reporter: ['text', 'text-summary'],
      thresholds: {
        ...atLeast(90),
        'src/challenge/**': atLeast(100),
        'src/store/**': atLeast(100),
        'src/provider/verdict.ts': atLeast(100),
        'src/express/guard.ts': atLeast(100),
      },
    },
    projects: [
      {
        extends: true,
        test: { name: 'express-5', include: mountsExpress },
      },
      {
        extends: true,
        resolve: { alias: [{ find: /^express$/, replacement: 'express4' }] },
        test: { name: 'express-4', include: mountsExpress },
      },
      {
        extends: true,
        test: { name: 'parts', include: ['test/**/*.test.ts'], exclude: mountsExpress },
      },
    ],
  },
})
