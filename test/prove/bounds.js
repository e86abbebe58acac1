/** What the package promises, and the tests that hold it to that. */
export const bounds = [
  {
    says: 'of many wrong codes at once, over many sessions, five are judged',
    tests: ['test/express/bursts.test.ts', 'test/many/guessing.test.ts'],
  },
  {
    says: 'of many right codes at once one succeeds',
    tests: ['test/express/bursts.test.ts', 'test/many/guessing.test.ts'],
  },
  {
    says: 'of many starts at once one sends, to each number',
    tests: ['test/express/bursts.test.ts'],
  },
  {
    says: 'nothing gives attempts back: no resend, restart, channel, purpose or session',
    tests: ['test/challenge/challenges.test.ts', 'test/challenge/ledger'],
  },
  {
    says: 'thirty days of guessing stay within 25 checks an hour, 50 a day, 100 judged, of strangers three fifths',
    tests: ['test/challenge/adversary.test.ts', 'test/challenge/app-adversary.test.ts'],
  },
  {
    says: 'every fault of provider and store has its documented answer, and nobody gets in by it',
    tests: ['test/express/provider-faults.test.ts', 'test/express/store-faults.test.ts', 'test/faults'],
  },
  { says: 'no secret, code, number or session id reaches the store', tests: ['test/many/at-rest.test.ts'] },
  { says: 'a full store loses no live ledger', tests: ['test/store/capacity.test.ts'] },
  {
    says: 'no spelling of a path and no method reaches a guarded handler',
    tests: ['test/express/guard.test.ts'],
  },
  {
    says: 'histories at random and by attackers find each seeded bug and none in the code',
    tests: ['test/challenge/model'],
  },
  {
    says: 'nothing that a host function throws lets a request through',
    tests: ['test/express/fail-closed.test.ts'],
  },
  {
    says: 'no number of sign-ups keeps anybody from signing in',
    tests: ['test/challenge/rate-limits/crowd.test.ts', 'test/challenge/refused-starts.test.ts'],
  },
  {
    says: 'an attacker with the password does not keep the owner out',
    tests: [
      'test/challenge/lockout.test.ts',
      'test/challenge/app-adversary.test.ts',
      'test/challenge/shared-number-adversary.test.ts',
      'test/challenge/shared-number-redis.test.ts',
      'test/express/bursts.test.ts',
    ],
  },
  {
    says: 'a start that beforeSend refuses changes nothing',
    tests: ['test/challenge/refused-starts.test.ts'],
  },
  {
    says: 'no spelling of an address switches its limit off, and whatever a /48 is sent is bounded as one',
    tests: ['test/express/address.test.ts', 'test/challenge/rate-limits'],
  },
  {
    says: 'after a revocation nothing that began before gives a grant',
    tests: ['test/express/revocation.test.ts'],
  },
  { says: 'after a refusal no grant appears later', tests: ['test/express/frozen-store.test.ts'] },
  {
    says: 'a proof is worth nothing to another subject, session or namespace',
    tests: [
      'test/express/owners.test.ts',
      'test/express/device-cookies.test.ts',
      'test/express/trusted-device.test.ts',
      'test/express/step-up.test.ts',
    ],
  },
  {
    says: 'a requirement tells nobody the amount or the payee',
    tests: ['test/express/describe.test.ts', 'test/challenge/proofs/bound.test.ts'],
  },
  {
    says: 'no answer of the provider blocks the event loop',
    tests: ['test/provider/adversarial-answers.test.ts'],
  },
  {
    says: 'a code approves what the person was shown, and nothing else',
    tests: [
      'test/express/shown.test.ts',
      'test/challenge/ledger/shown.test.ts',
      'test/challenge/purposes.test.ts',
    ],
  },
  {
    number: 22,
    says: 'trouble with the numbers of some accounts keeps nobody else from signing in',
    tests: ['test/challenge/outages.test.ts'],
  },
  {
    number: 22,
    says: 'one session has few requests under way, and none for a client that has gone',
    tests: ['test/express/host-bursts.test.ts'],
  },
  {
    number: 22,
    says: 'after an outage nobody pays for it',
    tests: ['test/challenge/hanging-provider.test.ts'],
  },
  {
    number: 22,
    says: 'exchanges that hang hold the places that they have: sign-ups half, and checks go before sends',
    tests: ['test/challenge/exchange/exchange-queue.test.ts', 'test/express/busy-provider.test.ts'],
  },
  {
    number: 23,
    says: 'two addresses close sign-ups to nobody, nor do their numbers that the provider refuses',
    tests: ['test/challenge/rate-limits/few-addresses.test.ts'],
  },
  {
    number: 24,
    says: 'no mistake of wiring that opens a hole or keeps people out is silent',
    tests: ['test/express/warnings.test.ts', 'test/store/memory-store.test.ts'],
  },
  {
    number: 25,
    says: 'neither one address nor two close a country to networks that have wasted nothing',
    tests: ['test/challenge/rate-limits/few-addresses.test.ts'],
  },
  {
    number: 25,
    says: 'no shared cache keeps a response of ours that carries a cookie',
    tests: ['test/express/shared-cache.test.ts'],
  },
  {
    number: 26,
    says: 'a right code is not lost to housekeeping, and nobody pays for an outage',
    tests: [
      'test/faults/broken-connection.test.ts',
      'test/challenge/long-outages.test.ts',
      'test/challenge/updater.test.ts',
      'test/challenge/ledger',
    ],
  },
  {
    number: 27,
    says: 'no outage ends in a lock, in a day without codes, or in the words "wrong codes"',
    tests: [
      'test/challenge/postponed-sends.test.ts',
      'test/challenge/repeated-codes.test.ts',
      'test/challenge/unanswered-sends.test.ts',
    ],
  },
  {
    number: 28,
    says: 'where codes are told apart, a code approves what its send was for',
    tests: [
      'test/express/codes-apart.test.ts',
      'test/express/psd2.test.ts',
      'test/challenge/ledger/unconfirmed-sends.test.ts',
    ],
  },
  {
    number: 29,
    says: 'no secret comes back from the history of a browser after a sign-out',
    tests: ['test/browser/chromium.test.ts', 'test/browser/firefox.test.ts', 'test/browser/webkit.test.ts'],
  },
].map((bound, index) => ({ number: index + 1, ...bound }))
