import { expect, it } from 'vitest'
import packageJson from '../../package.json' with { type: 'json' }
import { run, runToEnd } from './running.js'

it.each([
  ["the provider's codes", []],
  ['codes of its own', ['--own-codes']],
])(
  'the walkthrough goes through sign-in, step-up and sign-up on %s, and ends with 0',
  async (_name, more) => {
    const { code, output } = await runToEnd('start', ['--walkthrough', ...more])
    expect(code).toBe(0)
    expect(output.match(/^ {4}\d{3}(?= )/gm)?.map(Number)).toEqual([
      // sign-in: password, guarded, start, wrong code, right code, guarded, guarded with the old cookie
      200, 403, 201, 422, 200, 200, 401,
      // step-up: guarded, start, right code, another amount, the transfer, once more
      403, 201, 200, 403, 200, 403,
      // sign-up: start, right code, the account, another account
      201, 200, 201, 403,
    ])
    expect(output).toContain('"attemptsRemaining":4')
    expect(output).toContain('17 requests, each answered as it should be.')
  },
)

it('the walkthrough ends with 1 when an answer is not as it should be', async () => {
  // The guarded page is asked for at an address that nobody guards.
  const astray =
    "const real = fetch; globalThis.fetch = (url, options) => real(url.replace('/account', '/login'), options)"
  const { code, output } = await runToEnd('start', ['--walkthrough'], {
    NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(astray)}`,
  })
  expect(code).toBe(1)
  expect(output).toContain('The walkthrough stopped')
})

it('npm start says at once that it builds', () => {
  expect(packageJson.scripts.start).toMatch(/^echo "?\w.*" && npm run --silent build && /)
})

it('npm start names both addresses, and a signal ends it with 0', async () => {
  const demo = await run('start')
  const inbox = await fetch(demo.inboxUrl)
  expect(await inbox.text()).toMatch(/nothing is really sent/i)
  const stage = await fetch(demo.origin)
  expect(await stage.text()).toContain('<title>Demo bank on stage</title>')
  expect(await demo.stop()).toBe(0)
})

it.each([
  { args: ['--help'], ends: 0, says: /^npm start/ },
  { args: ['--walktrough'], ends: 2, says: /Unknown option '--walktrough'[\s\S]*npm start/ },
])('npm start -- $args.0 says what there is, and ends with $ends', async ({ args, ends, says }) => {
  const { code, output } = await runToEnd('start', args)
  expect(output).toMatch(says)
  expect(code).toBe(ends)
})
