import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config'
import { servedFiles } from '../scripts/served-files.js'
import { LongestFirst } from './longest-first.js'

const root = fileURLToPath(new URL('..', import.meta.url))

/** The entries of the package as its users name them. */
const entries = [
  { find: /^express-two-factor$/, replacement: `${root}src/index.ts` },
  { find: /^express-two-factor\/account$/, replacement: `${root}src/account/index.ts` },
  { find: /^express-two-factor\/browser$/, replacement: `${root}src/browser/index.ts` },
  { find: /^express-two-factor\/client$/, replacement: `${root}src/provider/index.ts` },
  { find: /^express-two-factor\/passkeys$/, replacement: `${root}src/passkeys/index.ts` },
  { find: /^express-two-factor\/sandbox$/, replacement: `${root}src/tools/sandbox/index.ts` },
  { find: /^express-two-factor\/redis$/, replacement: `${root}src/store/redis-store.ts` },
  { find: /^express-two-factor\/testing$/, replacement: `${root}src/tools/testing/index.ts` },
]

const files = (...names: readonly string[]) => names.map((name) => `test/${name}.test.ts`)

/** Suites that run the built files, as a reader would. */
const runsBuilt = files(
  '{examples,tools/cli,days}/**/*',
  'readme',
  'quick-start',
  'bundled',
  'structure/dist',
)

/** What differs between the lines of Express: mounting, parsers, redirects, forms, and how errors travel. */
const differsByLine = files(
  'express/{wiring,first-mistakes,fail-closed,shapes,forms,form-page,resume,success-path,host-setups}',
  'account/{confirmation,first-way}',
  'express/own-route',
  'express/{routes,origin-check,guard,guard-coverage,express-session,failed-success,shared-cache}',
)

/** What goes beyond that: bursts, crowds, days, faults, many processes, other clients, states of a browser. */
const full = files(
  'express/{bursts,recovery-bursts,store-faults,frozen-store}',
  'express/{crossing,unawaited-reads}',
  'tools/sandbox/{parallel,python}',
  'challenge/{app-adversary,adversary,hanging-provider,lockout,outages,refused-starts,shared-number-redis}',
  'challenge/rate-limits/{crowd,few-addresses,pumping}',
  'challenge/model/**/*',
  'provider/{generated,adversarial}-answers',
  'account/walk',
  'browser/{chromium,firefox,webkit}',
  'browser/{inbox,keyboard,pages,passkeys,passkey-refusals,walk}',
  'express/dialog/{dialog,fetch-with-code,own-look}',
  'faults/**/*',
  'many/{at-rest,cluster-faults,faults,guessing}',
  'store/{capacity,help-desk-code,memory-store-size,postgres-store}',
  'store/{redis-clients,redis-cluster,redis-faults}',
  'tools/testing/{rehearsed-apps,rehearsed-mistakes}',
)

/** The same of the built files. */
const fullBuilt = files(
  'tools/cli/{calibrate,desk,doctor,rehearse,sandbox}',
  'days/**/*',
  'examples/{demo,examples,fetch-with-code,recipes,sandbox-container}',
)

/** Suites whose files share their workers. */
function project(name: string, include: string[], exclude: string[] = []) {
  return {
    extends: true,
    test: { name, include, exclude, ...(name.endsWith('built') && { globalSetup: 'test/build.ts' }) },
  } satisfies TestProjectInlineConfiguration
}

const inExpress4 = { resolve: { alias: [{ find: /^express$/, replacement: 'express4' }] } }

const atLeast = (percent: number) => ({ lines: percent, branches: percent })

export default defineConfig({
  root,
  resolve: { alias: entries },
  plugins: [servedFiles()],
  test: {
    // Far beyond what any of them takes: a busy machine shall not decide what is red.
    testTimeout: 240_000,
    hookTimeout: 240_000,
    setupFiles: 'test/setup.ts',
    expect: { poll: { timeout: 60_000 } },
    // Vitest gives `--maxWorkers` to no project. `.ci/run` sets more than there are cores: most suites wait.
    maxWorkers: Number(process.env.TEST_WORKERS ?? availableParallelism()),
    // Tests that are marked as concurrent wait for lifetimes to pass.
    maxConcurrency: 20,
    sequence: { sequencer: LongestFirst },
    // What one run has compiled the next one takes: `npm test` again, or the second half of `.ci/run`.
    experimental: { fsModuleCache: true },
    // To load all of src for each file took as long as a third of the tests. A worker goes on while the next file is of
    // the same project, so there are few of these.
    isolate: false,
    coverage: {
      provider: 'v8',
      include: ['src/**/*.ts'],
      // Runs in Chromium, where nothing counts along.
      exclude: ['src/browser/**'],
      reporter: ['text', 'text-summary'],
      reportOnFailure: true,
      // Of `npm test`: what only a burst, a crowd or a fault would run has a test of its own there.
      thresholds: {
        ...atLeast(90),
        'src/challenge/**': atLeast(100),
        'src/store/**': atLeast(100),
        'src/provider/verdict.ts': atLeast(100),
        'src/express/guard/**': atLeast(100),
      },
    },
    projects: [
      project('usual', files('**/*'), [...runsBuilt, ...full]),
      { ...project('express-4', differsByLine), ...inExpress4 },
      project('built', runsBuilt, fullBuilt),
      project('full', full),
      project('full-built', fullBuilt),
      // `npm run rehearse`
      ...(process.env.IN_FULL === undefined
        ? []
        : [{ ...project('full-rehearsal-4', files('tools/testing/rehearsed-*')), ...inExpress4 }]),
    ],
  },
})
