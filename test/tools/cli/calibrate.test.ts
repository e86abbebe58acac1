import { describe, expect, test } from 'vitest'
import packageJson from '../../../package.json' with { type: 'json' }
import {
  createClient,
  type ProviderClient,
  type ProviderCodesOptions,
  providerCodes,
  type TwoFactorOptions,
  twoFactor,
} from '../../../src/index.js'
import { type Sandbox, startSandbox } from '../../../src/tools/sandbox/index.js'
import { type Run, run, runInTerminal, withoutTerminal } from './program.js'

const phone = '+573001234567'
const key = 'sandbox-key'
const yes = '--yes'
/** The program has to start first, which takes a busy machine longer than a wait lasts by default. */
const inAMinute = { timeoutMs: 60_000 }

/** What the program needs, but for the code. */
const environment = ({ baseUrl }: Sandbox) => ({
  TWO_FACTOR_BASE_URL: baseUrl,
  TWO_FACTOR_CLIENT: '100200',
  TWO_FACTOR_KEY: key,
  TWO_FACTOR_APP_NAME: 'Acme',
  TWO_FACTOR_PHONE: phone,
})

/** Runs it in a pipe until it ends, with the code that arrived. Whatever happens, nothing secret is printed. */
async function calibrate(sandbox: Sandbox, args: readonly string[] = [], env: NodeJS.ProcessEnv = {}) {
  const program = run(['calibrate', '--yes', ...args], { ...environment(sandbox), ...env })
  await program.saying('The provider has accepted')
  const { code = '' } = await sandbox.inbox.waitFor(env.TWO_FACTOR_PHONE ?? phone, inAMinute)
  program.type(`${code}\n`)
  const exitCode = await program.exitCode
  expectNoSecret(sandbox, program)
  return { exitCode, out: program.out(), err: program.err() }
}

/** Neither a number, nor the key, nor a code that the provider was asked about. */
function expectNoSecret(sandbox: Sandbox, program: Run) {
  const said = program.out() + program.err()
  const codes = sandbox.requests.list('verifyCode').map(({ fields }) => fields.code ?? '')
  for (const secret of [key, phone.slice(1), '3001234567', ...codes]) expect(said).not.toContain(secret)
}

/** The lines of the output, pasted into an object. */
const pasted = (
  out: string,
  client?: ProviderClient,
): Pick<TwoFactorOptions, 'code'> & { readonly provider: ProviderCodesOptions } =>
  new Function('providerCodes', 'client', `return {${out.split('For the options of twoFactor():')[1]}}`)(
    (options: ProviderCodesOptions) => options,
    client,
  )

describe('express-two-factor calibrate', () => {
  const accounts = [
    { dialect: 'spec', wrongCode: 200 },
    { dialect: 'spec', wrongCode: 400 },
    { dialect: 'observed', wrongCode: 520 },
  ] as const
  test.each(accounts)('prints lines that work, for an account of %j', async (account) => {
    await using sandbox = await startSandbox({ ...account, approvedStatus: 'Sí' })
    const { exitCode, out, err } = await calibrate(sandbox, ['--again'])
    expect(exitCode).toBe(0)
    expect(err).toContain('works only once')
    expect(sandbox.requests.list().filter(({ operation }) => operation.startsWith('send'))).toHaveLength(1)
    const refused = account.wrongCode === 200 ? [] : ['1111', '1113']
    expect(pasted(out)).toEqual({
      provider: {
        approvedStatuses: ['Sí'],
        rejectedCodes: refused,
        calibratedAt: expect.stringMatching(/^\d{4}-\d\d-\d\d$/),
      },
      code: { pattern: /^\d{6}$/ },
    })

    await using tf = twoFactor({
      ...pasted(out),
      provider: providerCodes(
        pasted(out, createClient({ baseUrl: sandbox.baseUrl, ...sandbox.credentials })).provider,
      ),
      appName: 'Acme',
      secret: 'only for tests, at least 32 bytes long',
      countries: ['CO'],
      subject: () => 'ana',
      phone: () => phone,
    })
    const actor = { subject: 'ana', session: 's', purpose: 'login' }
    await tf.challenges.start({ ...actor, phone })
    const { code = '' } = await sandbox.inbox.waitFor(phone, inAMinute)
    const guess = code === '000000' ? '000001' : '000000'
    expect(await tf.challenges.verify({ ...actor, phone, code: guess })).toMatchObject({
      outcome: 'rejected',
    })
    expect(await tf.challenges.verify({ ...actor, phone, code })).toMatchObject({ outcome: 'approved' })
  })

  test('checks a wrong code first, in the shape of the correct one', async () => {
    await using sandbox = await startSandbox({ codeAlphabet: 'AB', codeLength: 5 })
    await calibrate(sandbox)
    // The newest first.
    const [right, wrong, ...more] = sandbox.requests.list('verifyCode').map(({ fields }) => fields.code)
    expect(more).toEqual([])
    expect(right).toBe((await sandbox.inbox.waitFor(phone, inAMinute)).code)
    expect(wrong).not.toBe(right)
    expect(wrong).toMatch(/^[A-C]{5}$/)
  })

  test('reads the differences of an account from the command line', async () => {
    const newerPath = '--path=sendSmsCode=/sms/2fa/send'
    await using sandbox = await startSandbox({ dialect: 'observed' })
    const args = [newerPath, '--path=verifyCode=/2fa/verification-code', '--number-format=plus']
    const { exitCode } = await calibrate(sandbox, [...args, '--country-code=CO'])
    expect(exitCode).toBe(0)
    const asked = sandbox.requests.list().filter(({ operation }) => operation !== 'messageState')
    const sent = asked.map(({ fields }) => [fields.phone, fields['country-code']])
    expect(sent).toEqual(Array(3).fill([phone, 'CO']))
  })

  test('takes key and code as lines of a pipe, and an option before a variable', async () => {
    await using sandbox = await startSandbox()
    const env = { ...environment(sandbox), TWO_FACTOR_KEY: '', TWO_FACTOR_PHONE: '+573007654321' }
    const program = run(['calibrate', '--yes', '--phone', '+57 (300) 123-4567'], env)
    program.type(`${key}\n`)
    const { code = '' } = await sandbox.inbox.waitFor(phone, inAMinute)
    program.type(`\n${code.slice(0, 3)} ${code.slice(3)}\n`)
    expect(await program.exitCode).toBe(0)
    expectNoSecret(sandbox, program)
  })

  test.each([
    ['loudly', []],
    ['in JSON', ['--json']],
  ])('reports %s that the answers are ambiguous, and prints no line', async (_, args) => {
    await using sandbox = await startSandbox()
    sandbox.faults.add({ operation: 'verifyCode', kind: 'body', body: { status: 'ok' }, times: 2 })
    const { exitCode, out, err } = await calibrate(sandbox, args)
    expect(exitCode).toBe(3)
    expect(out).not.toContain('approvedStatuses')
    expect(out + err).toMatch(args.length > 0 ? /"code": *"alike"/ : /CANNOT BE TOLD APART/)
    // In a pipe, without colour.
    expect(err).not.toContain('\u001b')
  })

  test('prints no line if every code would be ended, and names the number that it saw', async () => {
    await using sandbox = await startSandbox()
    const body = { id: 'm1', data: [{ phone: '573007654321' }] }
    sandbox.faults.add({ operation: 'sendSmsCode', kind: 'acceptThenStatus', status: 200, body })
    const { exitCode, out, err } = await calibrate(sandbox)
    expect(exitCode).toBe(1)
    expect(out).not.toContain('approvedStatuses')
    expect(err).toContain('NAMES ANOTHER NUMBER')
    expect(err).toContain('It names ••••••21.')
    expect(err).not.toContain('7654321')
  })

  test('obeys no error of the provider that a terminal would', async () => {
    await using sandbox = await startSandbox()
    const body = { error: '\u001b[2J', msg: 'gone\u001b[2J' }
    sandbox.faults.add({ operation: 'sendSmsCode', kind: 'body', body })
    const program = run(['calibrate', '--yes'], environment(sandbox))
    expect(await program.exitCode).toBe(1)
    expect(program.err()).not.toContain('\u001b')
    expect(program.err()).toContain('\\u{1b}[2J')
  })

  test('explains the fix for a refused account, in words and in JSON', async () => {
    await using sandbox = await startSandbox()
    const env = { ...environment(sandbox), TWO_FACTOR_KEY: 'wrong-key' }
    const program = run(['calibrate', '--yes'], env)
    expect(await program.exitCode).toBe(1)
    expect(program.out()).toBe('')
    expect(program.err()).toMatch(/1003.*client, key.*said: 'client or key is wrong\.'/)
    expect(program.err()).not.toContain('wrong-key')
    const json = run(['calibrate', '--yes', '--json'], env)
    expect(await json.exitCode).toBe(1)
    expect(JSON.parse(json.out())).toMatchObject({ code: 'provider_failed', providerError: '1003' })
  })

  test.each<[readonly string[], string]>([
    [[], 'pass --yes'],
    [[yes, '--key', 'sesame-key'], 'TWO_FACTOR_KEY'],
    [[yes, '--phone', 'ana'], 'phone must be exactly one number'],
    [[yes, '--country-code', 'Colombia'], 'countryCode must be'],
    [[yes, '--path', '/2fa/check'], 'path must be an operation and its path'],
    [[yes, '--path', 'check=/2fa/check'], 'unknown option "paths.check"'],
  ])('does not understand %j, sends nothing, and repeats no key: %s', async (args, said) => {
    await using sandbox = await startSandbox()
    const program = run(['calibrate', ...args], environment(sandbox))
    expect(await program.exitCode).toBe(2)
    expect(program.err()).toContain(said)
    expect(program.err()).not.toMatch(/ {4}at |sesame-key/)
    expect(sandbox.requests.count()).toBe(0)
  })

  test('names all missing values with option and variable', async () => {
    const program = run(['calibrate', '--yes'])
    expect(await program.exitCode).toBe(2)
    for (const name of ['BASE_URL', 'CLIENT', 'KEY', 'APP_NAME', 'PHONE']) {
      expect(program.err()).toContain(`TWO_FACTOR_${name}`)
    }
    expect(program.err()).toContain('phone is missing: pass --phone or set TWO_FACTOR_PHONE.')
    expect(program.err()).not.toContain('--key')
  })
})

/** Runs it with a second code, of which one digit may be mistyped. */
async function calibrateTwice(
  sandbox: Sandbox,
  args: readonly string[] = [],
  typed: (code: string) => string = (code) => code,
) {
  const program = run(['calibrate', yes, '--replaces', ...args], environment(sandbox))
  const first = await sandbox.inbox.waitFor(phone, inAMinute)
  program.type(`${first.code}\n`)
  const second = await sandbox.inbox.waitFor(phone, { ...inAMinute, after: first.id })
  program.type(`${typed(second.code)}\n`)
  const exitCode = await program.exitCode
  expectNoSecret(sandbox, program)
  const checked = sandbox.requests.list('verifyCode').map(({ fields }) => fields.code)
  const codes = { first: first.code, second: second.code }
  return { exitCode, out: program.out(), err: program.err(), codes, checked: checked.toReversed() }
}

describe('express-two-factor calibrate with a second code', () => {
  test('finds that a new code ends the earlier ones, and says before what it costs', async () => {
    await using sandbox = await startSandbox({ resend: 'replace' })
    const { exitCode, out, err, codes, checked } = await calibrateTwice(sandbox)
    expect(exitCode).toBe(0)
    expect(pasted(out).provider).toMatchObject({ approvedStatuses: ['verified'], replacesCodes: true })
    expect(err).toMatch(
      /costs one more message\.[\s\S]*accepted[\s\S]*A new code ends the earlier ones[\s\S]*typed twice/,
    )
    expect(checked).toEqual([codes.first, expect.any(String), codes.second])
    expect(sandbox.requests.list('sendSmsCode')).toHaveLength(2)
  })

  test.each([
    ['both', 3],
    // The same code: its check is that of the right one.
    ['repeat', 2],
  ] as const)('finds that a new code does not end the earlier ones: %s', async (resend, checks) => {
    await using sandbox = await startSandbox({ resend })
    const { exitCode, out, err, checked } = await calibrateTwice(sandbox)
    expect(exitCode).toBe(0)
    expect(pasted(out).provider).toMatchObject({ approvedStatuses: ['verified'], replacesCodes: false })
    expect(err).toContain('does not end the earlier ones')
    expect(checked).toHaveLength(checks)
  })

  test('prints no line if the second code is not approved, and says what to do', async () => {
    await using sandbox = await startSandbox({ resend: 'replace' })
    const mistype = (code: string) => (code.startsWith('0') ? '1' : '0') + code.slice(1)
    const { exitCode, out, err } = await calibrateTwice(sandbox, [], mistype)
    expect(exitCode).toBe(1)
    expect(out).not.toContain('approvedStatuses')
    expect(err).toContain('replacesCodes is not determined')
    expect(err).toMatch(/Run calibrate without\n--replaces first/)
  })

  test('does not say what it cannot know after the time that the send states', async () => {
    await using sandbox = await startSandbox({ resend: 'replace' })
    const body = { id: 'm1', minutes_to_expire: 0, data: [{ phone: Number(phone) }] }
    sandbox.faults.add({ operation: 'sendSmsCode', kind: 'acceptThenStatus', status: 200, body })
    const { exitCode, out, err } = await calibrateTwice(sandbox)
    expect(exitCode).toBe(0)
    expect(pasted(out).provider).not.toHaveProperty('replacesCodes')
    expect(err).toContain('may have expired')
  })

  test('prints the answer to the first code as JSON', async () => {
    await using sandbox = await startSandbox({ resend: 'replace' })
    const { out } = await calibrateTwice(sandbox, ['--json'])
    const refused = { httpStatus: 520, error: '1111' }
    expect(JSON.parse(out)).toMatchObject({
      observed: { first: refused, wrong: refused, right: { status: 'verified' } },
      options: { replacesCodes: true },
    })
  })

  test('says which number it saw after the second send', async () => {
    await using sandbox = await startSandbox()
    const body = { id: 'm1', data: [{ phone: '573007654321' }] }
    const program = run(['calibrate', yes, '--replaces'], environment(sandbox))
    const first = await sandbox.inbox.waitFor(phone, inAMinute)
    sandbox.faults.add({ operation: 'sendSmsCode', kind: 'acceptThenStatus', status: 200, body })
    program.type(`${first.code}\n`)
    const second = await sandbox.inbox.waitFor(phone, { ...inAMinute, after: first.id })
    program.type(`${second.code}\n`)
    expect(await program.exitCode).toBe(1)
    expect(program.err()).toContain('NAMES ANOTHER NUMBER')
    expect(program.err()).toContain('It names ••••••21.')
  })
})

describe('express-two-factor calibrate for a program', () => {
  test('prints the answers, the options and a stable code as JSON', async () => {
    await using sandbox = await startSandbox({
      codeAlphabet: 'AB',
      codeLength: 5,
      onMessage: () => sandbox.clock.advance(5_000),
    })
    const { exitCode, out } = await calibrate(sandbox, ['--again', '--json'])
    expect(exitCode).toBe(0)
    expect(JSON.parse(out)).toEqual({
      version: packageJson.version,
      code: 'told_apart',
      observed: {
        echo: 'own',
        wrong: { httpStatus: 520, error: '1111' },
        right: { httpStatus: 200, status: 'verified' },
        again: { httpStatus: 520, error: '1113' },
      },
      options: {
        approvedStatuses: ['verified'],
        rejectedCodes: ['1111', '1113'],
        codePattern: '^[0-9A-Z]{5}$',
        calibratedAt: expect.stringMatching(/^\d{4}-\d\d-\d\d$/),
      },
      notes: [...Array(5).fill(expect.any(String)), expect.stringContaining('watch-delivery')],
    })
  })

  test('reports in JSON that the provider is out of order', async () => {
    await using sandbox = await startSandbox()
    sandbox.faults.add({ operation: 'sendSmsCode', kind: 'status', status: 503 })
    const failing = run(['calibrate', '--yes', '--json'], environment(sandbox))
    expect(await failing.exitCode).toBe(1)
    expect(JSON.parse(failing.out())).toMatchObject({ code: 'outage', httpStatus: 503 })
  })
})

describe.skipIf(withoutTerminal)('express-two-factor calibrate in a terminal', () => {
  async function answer(program: Run, question: string, typed: string) {
    await program.saying(question)
    program.type(`${typed}\r`)
  }

  test('asks for everything, hides the key, and asks before it sends', async () => {
    await using sandbox = await startSandbox()
    const program = runInTerminal(['calibrate'])
    await answer(program, 'Base URL', sandbox.baseUrl)
    await answer(program, 'Client of the account', '100200')
    await answer(program, 'Key of the account', key)
    await answer(program, 'App-name', 'Acme')
    await answer(program, 'country code', phone)
    await answer(program, 'Channel, sms or call [sms]', '')
    await program.saying('Send it, y or n [n]')
    expect(sandbox.requests.count()).toBe(0)
    program.type('y\r')
    const { code } = await sandbox.inbox.waitFor(phone, inAMinute)
    await program.saying('The code that arrived')
    // An arrow key brings nothing hidden back.
    program.type(`\u001b[A\u001b[A\u001b[A\u001b[A${code}\r`)
    expect(await program.exitCode).toBe(0)
    expect(program.out()).toContain("approvedStatuses: ['verified'],")
    expect(program.out()).not.toContain(key)
  })

  test('asks before the second message, and for the first code until it was typed twice alike', async () => {
    await using sandbox = await startSandbox({ resend: 'replace' })
    const program = runInTerminal(['calibrate', '--replaces'], environment(sandbox))
    await answer(program, 'Channel, sms or call [sms]', '')
    await answer(program, 'This sends one real SMS', 'y')
    const first = await sandbox.inbox.waitFor(phone, inAMinute)
    await answer(program, 'The code that arrived', '000000')
    await program.saying('To see whether a new code ends the first one, this sends one more real SMS')
    expect(sandbox.requests.list('sendSmsCode')).toHaveLength(1)
    program.type('y\r')
    const second = await sandbox.inbox.waitFor(phone, { ...inAMinute, after: first.id })
    await answer(program, 'The code of the second message', second.code)
    await answer(program, 'The code of the first message once more', first.code)
    await answer(program, 'another code than you typed before', first.code)
    expect(await program.exitCode).toBe(0)
    expect(program.out()).toContain('replacesCodes: true,')
    expect(sandbox.requests.list('verifyCode').at(-1)?.fields.code).toBe(first.code)
  })

  test('goes on with one code where the second message is not wanted', async () => {
    await using sandbox = await startSandbox()
    const program = runInTerminal(['calibrate', '--replaces'], environment(sandbox))
    await answer(program, 'Channel, sms or call [sms]', '')
    await answer(program, 'This sends one real SMS', 'y')
    const { code } = await sandbox.inbox.waitFor(phone, inAMinute)
    await answer(program, 'The code that arrived', code)
    await answer(program, 'this sends one more real SMS', 'n')
    expect(await program.exitCode).toBe(0)
    expect(program.out()).not.toContain('replacesCodes:')
    expect(sandbox.requests.list('sendSmsCode')).toHaveLength(1)
  })

  test.each([
    ['at a question', []],
    ['at the hidden one', ['--base-url', 'https://provider.example/v1', '--client', '1']],
  ])('ends on Ctrl-C %s', async (_, args) => {
    const program = runInTerminal(['calibrate', ...args])
    await program.saying(args.length > 0 ? 'Key of the account' : 'Base URL')
    program.type('\u0003')
    // As a shell sees the end by a signal.
    expect(await program.exitCode).toBe(130)
  })
})
