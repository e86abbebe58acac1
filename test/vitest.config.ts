import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'
import { LongestFirst } from './longest-first.js'

const root = fileURLToPath(new URL('..', import.meta.url))

/** The entries of the package as its users name them. */
const entries = [
  { find: /^express-two-factor$/, replacement: `${root}src/index.ts` },
  { find: /^express-two-factor\/browser$/, replacement: `${root}src/browser/index.ts` },
  { find: /^express-two-factor\/client$/, replacement: `${root}src/provider/index.ts` },
  { find: /^express-two-factor\/sandbox$/, replacement: `${root}src/sandbox/index.ts` },
  { find: /^express-two-factor\/redis$/, replacement: `${root}src/store/redis-store.ts` },
  { find: /^express-two-factor\/testing$/, replacement: `${root}src/testing/index.ts` },
]

/** Suites that mount Express run once per Express line; all others run once. */
const mountsExpress = ['express', 'journeys', 'sandbox'].map((folder) => `test/${folder}/**/*.test.ts`)

/** Of these, what looks beyond Express, at a browser, a store, a session library or a provider: once is enough. */
const beyondExpress = [
  'test/express/dialog/{axe,fetch-with-code,file,own-look,react}.test.ts',
  'test/express/{code-provider-verdicts,frozen-store,recovery-bursts,session-races}.test.ts',
  'test/journeys/balance.test.ts',
  'test/sandbox/memory.test.ts',
]

/** Suites that run the built files, as a reader would. */
const runsBuilt = ['examples/**/*', 'cli/**/*', 'days/**/*', 'readme', 'structure/dist'].map(
  (name) => `test/${name}.test.ts`,
)

/** Suites that start processes or measure their own. */
const runsProcesses = ['browser', 'faults', 'many', 'observability', 'store', 'testing'].map(
  (folder) => `test/${folder}/**/*.test.ts`,
)

/** Races, crowds and browsers, which take minutes: `npm run test:quick` leaves them out. */
const slow =
  process.env.QUICK === '1'
    ? [
        'test/express/{*races,*bursts,store-faults,frozen-store,crossing,code-provider-verdicts}.test.ts',
        'test/express/dialog/**',
        'test/challenge/{adversary,lockout}.test.ts',
        'test/challenge/budgets/{pumping,crowd}.test.ts',
        'test/challenge/model/**',
        'test/provider/{generated,adversarial}-answers.test.ts',
        'test/store/memory-store-{size,workers}.test.ts',
      ]
    : []

const atLeast = (percent: number) => ({ lines: percent, branches: percent })

export default defineConfig({
  root,
  resolve: { alias: entries },
  test: {
    // Far beyond what any of them takes: a busy machine shall not decide what is red.
    testTimeout: 240_000,
    hookTimeout: 240_000,
    setupFiles: 'test/setup.ts',
    expect: { poll: { timeout: 60_000 } },
    // More than there are cores: a good part of all tests waits, for a browser, a Redis or a deadline.
    maxWorkers: Math.max(6, Math.ceil(availableParallelism() * 1.5)),
    sequence: { sequencer: LongestFirst },
    coverage: {
      provider: 'v8',
      include: ['src/**'],
      // Runs in Chromium, where nothing counts along.
      exclude: ['src/browser/**'],
      reporter: ['text', 'text-summary'],
      reportOnFailure: true,
      thresholds: {
        ...atLeast(90),
        'src/challenge/**': atLeast(100),
        'src/store/**': atLeast(100),
        'src/provider/verdict.ts': atLeast(100),
        'src/express/guard/**': atLeast(100),
      },
    },
    projects: [
      {
        extends: true,
        test: {
          name: 'express-5',
          include: mountsExpress,
          exclude: slow,
          globalSetup: 'test/bundle.ts',
          // To load Express and all of src for each of their files took as long as a third of their tests.
          isolate: false,
        },
      },
      {
        extends: true,
        resolve: { alias: [{ find: /^express$/, replacement: 'express4' }] },
        test: {
          name: 'express-4',
          include: mountsExpress,
          exclude: beyondExpress,
          globalSetup: 'test/bundle.ts',
          isolate: false,
        },
      },
      {
        extends: true,
        test: { name: 'built', include: runsBuilt, globalSetup: 'test/build.ts' },
      },
      {
        extends: true,
        test: {
          name: 'parts',
          include: ['test/**/*.test.ts'],
          exclude: [...mountsExpress, ...runsBuilt, ...runsProcesses, ...slow],
          globalSetup: 'test/bundle.ts',
          isolate: false,
        },
      },
      {
        extends: true,
        test: {
          name: 'processes',
          include: runsProcesses,
          exclude: slow,
          globalSetup: 'test/bundle.ts',
        },
      },
    ],
  },
})
