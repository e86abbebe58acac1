// Makes clients of the sandbox's OpenAPI document with three generators, type-checks a program over each and runs
// it: the ten operations, and a wrong code. By hand, because it installs the generators
// into a temporary folder: npm run generated
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { startSandbox } from 'express-two-factor/sandbox'
import { build } from 'rolldown'

const generators = ['openapi-typescript@7.13', 'openapi-fetch@0.17', '@hey-api/openapi-ts@0.95', 'orval@8']
const folder = mkdtempSync(join(tmpdir(), 'generated-clients-'))
const run = (command, ...args) => execFileSync(command, args, { cwd: folder, stdio: ['ignore', 2, 2] })
const write = (name, text) => writeFileSync(join(folder, name), text)

const sandbox = await startSandbox()
const { baseUrl, credentials: account } = sandbox
const today = new Date().toISOString().slice(0, 10)
const phone = '573001234567'
const code = { ...account, phone, 'app-name': 'Acme' }
const call = { ...account, phone, message: 'Hello', voice: 'Mia', retries: '2' }
const link = { ...account, name: 'spring', 'url-long': 'https://example.com/' }
const clicks = { ...account, 'name-url': 'spring', since: today, until: today }

/** What is called, in order, and a member of what comes back. ID and CODE are known only then. */
const calls = [
  ['balance', '/balance', account, 'status'],
  ['blockPhone', '/block-phone', { ...account, phone: '573009999999', name: 'Ana' }, 'id'],
  ['sendSms', '/send-sms', { ...account, phone: `${phone},573007654321`, sms: 'Hello' }, 'data'],
  ['sendCall', '/call/send', call, 'id'],
  ['messageState', '/messages-state', { ...account, id: 'ID' }, 'state'],
  ['sendCallCode', '/call/2fa/send-call', { ...code, voice: 'Mariana', retries: '1' }, 'minutes_to_expire'],
  ['sendSmsCode', '/2fa/send-sms', code, 'minutes_to_expire'],
  ['verifyCode', '/2fa/verification-code', { ...code, code: 'wrong' }, 'error'],
  ['verifyCode', '/2fa/verification-code', { ...code, code: 'CODE' }, 'status'],
  ['shortenUrl', '/url/short', link, 'urlShort'],
  ['urlStatistics', '/url/short-statistic', clicks, 'metrics'],
]
const isGet = (name) => name === 'balance' || name === 'messageState'
const source = (params) => JSON.stringify(params).replace('"ID"', 'id').replace('"CODE"', 'await code()')

/** How a program over each client begins, and how it calls. Each call is `{ data, error }`. */
const clients = {
  'openapi-fetch': {
    generate: () => run('npx', 'openapi-typescript', 'document.json', '-o', 'openapi-fetch/schema.ts'),
    head: `import createClient from 'openapi-fetch'
import type { paths } from './schema'
const client = createClient<paths>({ baseUrl: '${baseUrl}' })
const headers = { 'Content-Type': 'application/x-www-form-urlencoded' }`,
    call: (name, path, params) =>
      isGet(name)
        ? `client.GET('${path}', { params: { query: ${source(params)} } })`
        : `client.POST('${path}', { body: ${source(params)}, headers })`,
  },
  'hey-api': {
    generate: () => run('npx', 'openapi-ts', '-i', 'document.json', '-o', 'hey-api/generated'),
    head: `import * as api from './generated'
import { client } from './generated/client.gen'
client.setConfig({ baseUrl: '${baseUrl}' })`,
    call: (name, _path, params) => `api.${name}({ ${isGet(name) ? 'query' : 'body'}: ${source(params)} })`,
  },
  orval: {
    generate() {
      const sandbox = {
        input: 'document.json',
        output: { target: 'orval/generated.ts', client: 'fetch', baseUrl },
      }
      write('orval.config.mjs', `export default ${JSON.stringify({ sandbox })}`)
      run('npx', 'orval', '--config', 'orval.config.mjs')
    },
    head: `import * as api from './generated'
const told = (answer: { status: number; data: unknown }) =>
  answer.status === 200 ? { data: answer.data, error: undefined } : { data: undefined, error: answer.data }`,
    call: (name, _path, params) => `api.${name}(${source(params)}).then(told)`,
  },
}

/** Calls everything in its order, and says of each answer whether it has the member. */
function programOf({ head, call }) {
  const steps = calls.map(([name, path, params, member]) => {
    const kept = name === 'sendSms' ? 'id = String(Object(answer).id)\n' : ''
    return `{
    const { data, error } = await ${call(name, path, params)}
    const answer = Object(data ?? error)
    ${kept}present.push(answer['${member}'] !== undefined)
  }`
  })
  return `${head}
export async function run(code: () => Promise<string>) {
  const present: boolean[] = []
  let id = ''
  ${steps.join('\n  ')}
  return present
}
`
}

const checks = '--noEmit --strict --skipLibCheck --module esnext --moduleResolution bundler --target es2023'
const codeOnPhone = async () => (await sandbox.inbox.waitFor(phone, { channel: 'sms', code: true })).code

try {
  write('package.json', '{ "type": "module" }')
  run('npm', 'install', '--no-audit', '--no-fund', '--silent', ...generators, 'typescript@5.9')
  write('document.json', await (await fetch(`${sandbox.inboxUrl}openapi.json`)).text())
  for (const [name, client] of Object.entries(clients)) {
    const input = join(folder, name, 'program.ts')
    const file = join(folder, name, 'program.js')
    mkdirSync(join(folder, name))
    client.generate()
    writeFileSync(input, programOf(client))
    run('npx', 'tsc', ...checks.split(' '), '--lib', 'es2023,dom,dom.iterable', input)
    await build({ input, output: { file } })
    const program = await import(pathToFileURL(file).href)
    const good = (await program.run(codeOnPhone)).filter((there) => there).length
    console.log(`${name}: ${good} of ${calls.length} calls, ${sandbox.requests.count()} requests received`)
    if (good < calls.length) process.exitCode = 1
    sandbox.reset()
  }
} finally {
  await sandbox.close()
  rmSync(folder, { recursive: true })
}
