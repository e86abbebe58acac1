// What is mutated, and by which tests it has to be noticed.
import { readdirSync } from 'node:fs'
import { join, sep } from 'node:path'

/** At least so many per cent are noticed: of the part where a mistake opens an account, and of all. */
export const thresholds = { challenge: 96, all: 93 }

const leftOut = [
  // Texts and page styles.
  /^(express\/pages\/messages|account\/texts)\/(en|es|pt)\.ts$/,
  /\/style\.ts$/,
  /^lib\/version\.ts$/,
  // Bundled, and run by Chromium.
  /^browser\//,
  // Markup, which tests look at in a browser.
  /^tools\/sandbox\/page\/(button|messages|moments|panels|request-view)\.ts$/,
  // The program, which its tests run as it is built. These are what they load from the source as well.
  /^tools\/cli\/(?!(calibration|conclusion|doctor|findings|host-checks|provider-checks|quote|redis-check)\.ts$)/,
]

/** Those that go on for seconds would do so once per mutant; those that read the source find it instrumented. */
const unfit = [
  'test/account/walk.test.ts',
  'test/challenge/{adversary,app-adversary,hanging-provider,lockout,outages,refused-starts}.test.ts',
  'test/challenge/rate-limits/{crowd,pumping}.test.ts',
  'test/express/{*bursts,crossing,fail-closed,frozen-store}.test.ts',
  'test/journeys/every-answer.test.ts',
  'test/lib/version.test.ts',
  'test/provider/{adversarial-answers,generated-answers,types}.test.ts',
  'test/tools/sandbox/{document,python}.test.ts',
  'test/store/{capacity,memory-store-size,postgres-store}.test.ts',
  'test/store/redis-{clients,cluster,faults,store}.test.ts',
]

/** Folders of `src`, and the files beside them, with the tests that run. */
const parts = [
  { name: 'lib', tests: ['lib/*', 'provider/*', 'express/pages/*', 'options/*'] },
  { name: 'store', tests: ['store/*', 'express/warnings'] },
  {
    name: 'challenge',
    // What has no test beside it is said over HTTP.
    tests: [
      'challenge/{,exchange/,operator/,rate-limits/,reach/,ledger/,proofs/}*',
      'phone-number',
      'express/{authenticator-app,destinations,events,facades,health,owners}',
      'express/{codes-apart,passkey-sign-in,provider-faults,recovery,renewed-code}',
      'express/{send-at-once,tracing,trusted-device}',
    ],
  },
  {
    name: 'provider',
    // The self-test tells of the adapter, and the sandbox is the only reader of some of the contract.
    tests: [
      'provider/*',
      'faults/*',
      'express/{fixed-codes,self-test}',
      'tools/sandbox/{conformance,openapi}',
    ],
  },
  { name: 'express', tests: ['express/{,pages/}*', 'journeys/*'] },
  { name: 'account', tests: ['account/*'] },
  { name: 'passkeys', tests: ['passkeys/*', 'account/passkeys', 'express/passkey-sign-in'] },
  { name: 'options', tests: ['options/*', 'option-probes', 'express/warnings'] },
  { name: 'tools/testing', tests: ['tools/testing/*', 'express/guard-coverage', 'store/store-contract'] },
  { name: 'tools/sandbox', tests: ['tools/sandbox/*'] },
  { name: 'tools/cli', tests: ['tools/cli/{calibration,doctor-findings}'] },
  {
    name: 'root',
    tests: [
      'phone-number',
      'errors',
      'observability/recipes',
      'option-probes',
      'express/*',
      'journeys/*',
      'options/*',
      'provider/*',
    ],
  },
]

/** Of a file of `src`: `challenge`, `tools/cli`. */
export const partOf = (file) => /^src\/(tools\/[^/]+|[^/]+)\//.exec(file)?.[1] ?? 'root'

/** The parts that `asked` touches, files or folders of `src`, with their files. */
export function partsOf(root, asked) {
  const wanted = asked.map((path) => path.replace(/^\.\//, '').replace(/\/$/, ''))
  const files = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
    .map((file) => file.replaceAll(sep, '/'))
    .filter((file) => /\.ts$/.test(file) && !leftOut.some((path) => path.test(file)))
    .map((file) => `src/${file}`)
    .filter((file) => wanted.some((path) => file === path || file.startsWith(`${path}/`)))
    .sort()
  return parts
    .map(({ name, tests }) => ({
      name,
      tests: { include: tests.map((test) => `test/${test}.test.ts`), exclude: unfit },
      files: files.filter((file) => partOf(file) === name),
    }))
    .filter((part) => part.files.length > 0)
}
