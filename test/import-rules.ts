import { type ImportTable, ofTheHost } from './import-table.js'

const basics = ['errors', 'events', 'phone-number']
const everyPart = [
  'lib/*',
  ...basics,
  'options',
  'options/*',
  'store/*',
  'challenge/*',
  'provider/*',
  'express/*',
]

/** The provider's interface as data: the sandbox serves what the client asks. */
const wireContract = ['provider/operations', 'provider/answer-schemas', 'provider/parameter-schemas']

/** Who may import whom; `src/README.md` shows it. */
export const importTable: ImportTable = {
  parts: {
    lib: [],
    errors: ['lib/*'],
    'phone-number': ['lib/*', 'errors'],
    events: ['type errors'],
    alarms: ['type events'],
    store: ['lib/*', 'errors'],
    challenge: ['lib/*', ...basics, 'type store/store'],
    provider: ['lib/*', 'errors', 'phone-number', 'challenge/exchange/code-provider'],
    express: ['lib/*', ...basics, 'challenge/*'],
    // Bundled on its own, for the browser.
    browser: [],
    'tools/sandbox': ['lib/*', ...wireContract, 'phone-number'],
    options: [
      'lib/*',
      'phone-number',
      'provider/option-checks',
      'challenge/exchange/code-provider',
      'challenge/limits',
      'express/pages/brand',
      'express/pages/links',
      ...everyPart.map((part) => `type ${part}`),
    ],
    'two-factor': everyPart,
    index: [...everyPart, 'alarms', 'two-factor'],
    // On what every host has, but for its helpers.
    account: ['lib/*', 'errors', 'phone-number', 'type index', 'type passkeys/index'],
    passkeys: ['lib/*', 'type index'],
    'tools/testing': [
      ...['lib/*', 'store/*', 'provider/*', 'tools/sandbox/*', 'errors', 'phone-number'],
      'challenge/exchange/code-provider',
      'express/guard/coverage',
      ...['challenge/*', 'express/*', 'events', 'two-factor'].map((part) => `type ${part}`),
    ],
    'tools/cli': [
      'lib/*',
      'provider/index',
      'provider/number-echo',
      'provider/provider-error',
      'provider/send',
      'tools/sandbox/index',
      'tools/testing/index',
      'tools/testing/rehearsal/attacks',
      'tools/testing/rehearsal/sign-in-recorder',
      'store/redis-store',
      'store/redis-connection',
      'challenge/operator/inspection',
      'phone-number',
      'type store/store',
    ],
  },
  packages: {
    undici: ['provider/send'],
    // Where data comes in from outside. Ledgers, the guard and the verdict are checked by hand.
    zod: [...wireContract, 'provider/wire', 'tools/sandbox/*'],
    'lru-cache': ['store/partition'],
    uqr: ['express/flows/authenticators'],
    'libphonenumber-js': ['phone-number'],
    // At run time only where a Router or the sandbox's app is made, or a body is parsed.
    express: [
      'express/http/routes',
      'express/http/request-body',
      'account/routes',
      'tools/sandbox/*',
      'type *',
    ],
    // The domain knows no HTTP: requests come in through Express and go out through undici.
    'node:http': ['tools/sandbox/*', 'tools/cli/*', 'tools/testing/*', 'type express/*'],
    'node:https': [],
    ...Object.fromEntries(
      ['dialog.js', 'page.js'].map((file) => [`served:${file}`, ['express/http/routes']]),
    ),
    ...Object.fromEntries(
      ['inbox.css', 'inbox.js', 'inbox.svg'].map((file) => [
        `served:${file}`,
        ['tools/sandbox/http/page-routes'],
      ]),
    ),
    // The plan of a rehearsal, and a store for the commands of an operator.
    [ofTheHost]: ['tools/cli/rehearse-command', 'tools/cli/app-store'],
  },
}
