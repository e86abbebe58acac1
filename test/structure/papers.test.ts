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
  expect(bytes(...documents), 'README.md and docs').toBeLessThan(113_500)
})

/** What hosts ask, and where it is answered. */
const questions = {
  'When should I take something else?': 'README.md#when-to-take-it',
  'How do I try it without an account?': 'README.md#a-first-app',
  'What does a sign-in cost?': 'README.md#figures',
  'Which options are there?': 'docs/reference.md#options',
  'How do I use my own SMS vendor?': 'docs/providers.md#your-own-sms-vendor',
  'How do I make the pages look like mine?': 'docs/pages.md#brand',
  'How do I protect a payment?': 'docs/guide.md#step-up',
  'How do I use it from a single-page app?': 'docs/single-page.md#your-own-ui',
  'How do I use it with bearer tokens?': 'docs/sessions.md#bearer-tokens',
  'Which session stores work?': 'docs/sessions.md#express-session',
  'How do I log a person out everywhere?': 'docs/sessions.md#logout',
  'Where do people change their number?': 'docs/account.md',
  'How do I test my app?': 'docs/sandbox.md#in-a-test',
  'What is to be done before the first real code?': 'docs/guide.md#before-the-first-real-code',
  'What do I set `trust proxy` to?': 'docs/operation.md#trust-proxy',
  'How do I run several instances, and roll back?': 'docs/operation.md#several-instances',
  'Why did nobody get in after I deployed?': 'docs/operation.md#nobody-gets-in-after-a-deploy',
  'What happens when the provider is down?': 'docs/operation.md#the-provider-is-down-or-slow',
  'Who can lock somebody else out?': 'docs/security.md#who-can-lock-whom',
  'What if somebody loses the phone?': 'docs/operation.md#a-phone-is-lost',
}
const ledTo = (document: string) =>
  linksOf(read(document)).map((link) =>
    posix.join(posix.dirname(document), link.split('#')[0] || posix.basename(document)),
  )

it('twenty questions of a host are answered by one click from the README', () => {
  const reached = new Set(['README.md', ...ledTo('README.md')])
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
