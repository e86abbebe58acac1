// What is mutated, by which tests it has to be noticed, and how much of it at least.
import { readdirSync } from 'node:fs'
import { join, sep } from 'node:path'

/** At least so many per cent of the mutants are killed: of the files where a mistake opens an account, and of the rest. */
export const thresholds = { core: 97, rest: 92 }

const core = [
  'challenge/',
  'express/flows/admission.ts',
  'express/flows/device-cookies.ts',
  'express/flows/phone-verification.ts',
  'express/flows/recovery.ts',
  'express/flows/renewal.ts',
  'express/flows/sign-in.ts',
  'express/guard/',
  'express/host/requester.ts',
  'express/host/session.ts',
  'express/http/origin-check.ts',
  'provider/code-adapter.ts',
  'provider/send.ts',
  'provider/verdict.ts',
]

/** Programs with tests of their own kind (a browser, a terminal), and files that are nothing but texts. */
const leftOut = [
  'browser/',
  'cli/',
  'sandbox/',
  'express/pages/style.ts',
  'express/pages/messages/en.ts',
  'express/pages/messages/es.ts',
  'express/pages/messages/pt.ts',
  'lib/version.ts',
]

/** Those that go on for seconds would do so once per mutant; those that read the source find it instrumented. */
const unfit = [
  'test/challenge/{adversary,lockout}.test.ts',
  'test/challenge/budgets/{crowd,pumping}.test.ts',
  'test/express/{*bursts,*races,crossing,code-provider-verdicts,fail-closed,frozen-store}.test.ts',
  'test/lib/version.test.ts',
  'test/provider/{adversarial-answers,types}.test.ts',
  'test/store/{capacity,memory-store-flood,memory-store-workers,postgres-store}.test.ts',
  'test/store/redis-{cluster,faults,store}.test.ts',
]

/** A file belongs to the first part whose path it begins with, and the tests of that part run. */
const parts = [
  { path: 'lib/', tests: ['lib/*', 'provider/*', 'express/pages/*'] },
  { path: 'store/', tests: ['store/*'] },
  { path: 'challenge/', tests: ['challenge/{,budgets/,ledger/,proofs/,watch/}*', 'phone-number'] },
  { path: 'provider/', tests: ['provider/*', 'faults/*'] },
  { path: 'express/', tests: ['express/{,pages/}*', 'journeys/*'] },
  {
    path: 'options/',
    tests: ['options/*', 'option-probes', 'express/{options,wiring,warnings,signup-guard}'],
  },
  { path: 'testing/', tests: ['testing/*', 'express/guard-coverage', 'store/store-contract'] },
  {
    path: '',
    tests: ['phone-number', 'errors', 'options/*', 'option-probes', 'express/*', 'journeys/*', 'provider/*'],
  },
].map(({ path, tests }) => ({
  path,
  tests: { include: tests.map((test) => `test/${test}.test.ts`), exclude: unfit },
}))

export const isCore = (file) => core.some((path) => file.startsWith(`src/${path}`))

/** The parts that `asked` touches, files or folders of `src` (all of it where none is asked for), with their files. */
export function partsOf(root, asked) {
  const wanted = asked.map((path) => path.replace(/^(?:\.\/)?src\//, '').replace(/\/?$/, ''))
  const files = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
    .map((file) => file.replaceAll(sep, '/'))
    .filter((file) => /\.tsx?$/.test(file) && !leftOut.some((path) => file.startsWith(path)))
    .filter(
      (file) => wanted.length === 0 || wanted.some((path) => file === path || file.startsWith(`${path}/`)),
    )
    .sort()
  const unknown = wanted.filter((path) => !files.some((file) => file === path || file.startsWith(`${path}/`)))
  if (unknown.length > 0) throw new Error(`nothing to mutate in src: ${unknown.join(', ')}`)
  const partOf = (file) => parts.find(({ path }) => file.startsWith(path))
  return parts
    .map((part) => ({
      ...part,
      files: files.filter((file) => partOf(file) === part).map((file) => `src/${file}`),
    }))
    .filter((part) => part.files.length > 0)
}
