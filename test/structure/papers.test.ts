import { Buffer } from 'node:buffer'
import { posix } from 'node:path'
import { expect, it } from 'vitest'
import { anchorsOf, documents, linksOf, read } from '../documents.js'

const bytes = (...files: string[]) => Buffer.byteLength(files.map(read).join(''))

// What is added takes the place of something: a reader has one evening.
it('the changelog is a page, and so is the README; all documents together are a booklet', () => {
  // A rebase over this page brings the old lines back, because the file merges by union: keep your own one.
  expect(bytes('CHANGELOG.md'), 'CHANGELOG.md').toBeLessThan(15_000)
  expect(bytes('README.md'), 'README.md').toBeLessThan(9_000)
  expect(bytes(...documents), 'README.md and docs').toBeLessThan(108_000)
})

/** What newcomers ask, and where it is answered. */
const questions = {
  'What is it, and when should I take something else?': 'README.md#when-to-take-it',
  'How do I try it without an account?': 'README.md#a-first-app',
  'Which options are there?': 'docs/reference.md#options',
  'Where does the number come from?': 'docs/reference.md#options',
  'How do I use my own SMS vendor?': 'docs/providers.md#your-own-sms-vendor',
  'How do I make the pages look like mine?': 'docs/pages.md#brand',
  'How do I render them myself?': 'docs/pages.md#a-page-of-your-own',
  'How do I change a text?': 'docs/pages.md#texts',
  'How do I protect a payment?': 'docs/reference.md#the-guard',
  'What becomes of a form that is interrupted?': 'docs/pages.md#a-form-survives-its-step-up',
  'How do I use it from a single-page app?': 'docs/single-page.md#your-own-ui',
  'How do I use it with bearer tokens?': 'docs/sessions.md#bearer-tokens',
  'What do I call at logout?': 'docs/sessions.md#logout',
  'How do I test my app?': 'docs/sandbox.md#in-a-test',
  'What is to be done before the first real code?': 'docs/guide.md#before-the-first-real-code',
  'What do I set `trust proxy` to?': 'docs/operation.md#trust-proxy',
  'How do I run several instances?': 'docs/operation.md#redis',
  'Why does no code arrive?': 'docs/operation.md#alarms',
  'What if somebody loses the phone?': 'docs/guide.md#recovery-codes',
  'How do I upgrade, and go back?': 'docs/operation.md#several-instances',
}
const ledTo = (document: string) =>
  linksOf(read(document)).map((link) =>
    posix.join(posix.dirname(document), link.split('#')[0] || posix.basename(document)),
  )

it('twenty questions of a newcomer are answered by at most two clicks from the README', () => {
  const first = ledTo('README.md').filter((link) => link.endsWith('.md'))
  const reached = new Set(['README.md', ...first, ...first.flatMap(ledTo)])
  const unanswered = Object.entries(questions).filter(([, place]) => {
    const [document = '', anchor] = place.split('#')
    return !reached.has(document) || (anchor !== undefined && !anchorsOf(read(document)).includes(anchor))
  })
  expect(Object.keys(questions)).toHaveLength(20)
  expect(unanswered).toEqual([])
})

it('the key of the account has one variable, in documents, messages and commands', () => {
  const files = ['docs/providers.md', 'src/provider/client-options.ts', 'src/tools/cli/account-flags.ts']
  const named = files.map((file) => [...new Set(read(file).match(/[A-Z]\w*_KEY\b/g) ?? [])])
  expect(named).toEqual(files.map(() => ['TWO_FACTOR_KEY']))
})
