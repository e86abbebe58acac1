// Recipes of the documents, each pasted into the quick start of the README, and signed in to.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { freePort } from '../free-port.js'
import { codeInInbox, expect, pasted, app as quickStart, runApp, signIn, withSandbox } from './quick-start.js'

const documents = new URL('../../docs/', import.meta.url)
const read = (name) => readFileSync(new URL(name, documents), 'utf8')
const block = (name, mark) => pasted(read(name), mark)

/** The quick start with a part of it exchanged, which has to be there. */
const exchanged = (part, by) => {
  expect('the quick start', part.test(quickStart), true)
  return quickStart.replace(part, () => by)
}

/** An SMS vendor that is not the provider: its code is ours. Nobody can be told to wait for a text while it is down. */
export async function ownVendor(project) {
  const texts = []
  const vendor = createServer((request, response) => {
    request.setEncoding('utf8').on('data', (text) => texts.push(JSON.parse(text)))
    request.on('end', () => response.end('{}'))
  })
  const port = await freePort()
  const recipe = block('providers.md', 'own vendor').replace(
    'https://sms.example.com',
    `http://127.0.0.1:${port}`,
  )
  const text = recipe + exchanged(/provider: providerCodes\(\{.*?\n {2}\}\),/s, 'provider,')
  const code = () => /\d{6}/.exec(texts.findLast(({ to }) => to === '+573001234567').text)[0]
  try {
    await runApp(project, 'own-vendor.mjs', text, async (url) => {
      const body = new URLSearchParams({ name: 'ana', password: 'sesame' })
      const refused = await fetch(new URL('/login', url), { method: 'POST', body })
      expect('while the vendor is down', refused.status, 503)
      await once(vendor.listen(port, '127.0.0.1'), 'listening')
      await signIn(url, code)
    })
  } finally {
    vendor.close()
  }
}

/** The code page from a template of the reader's own. */
export async function ejs(project) {
  const render = /^ {4}render: .*?,$/ms.exec(block('pages.md', 'render'))[0]
  const text = `import ejs from 'ejs'\n${exchanged(/(?<=^ {2}pages: \{)/m, `\n${render}\n`)}`
  copyFileSync(new URL('../examples/code.ejs', documents), join(project, 'code.ejs'))
  await withSandbox(project, (origin) =>
    runApp(project, 'render.mjs', text.replace('http://127.0.0.1:4010', origin), async (url) => {
      const page = await signIn(url, codeInInbox(origin))
      expect('the page', page.includes('page.css'), false)
      expect('the page', page, 'We sent a code to ••••••67. It works for 5 minutes.')
    }),
  )
}

/** The store in Redis, when this machine has one. */
export async function redis(project) {
  const port = String(await freePort())
  const server = spawn('redis-server', ['--port', port, '--save', ''], { stdio: 'ignore' })
  const [problem] = await Promise.race([once(server, 'error'), once(server, 'spawn')])
  if (problem !== undefined && process.env.CI !== 'true') return 'left out, because redis-server is missing: '
  const [head] = /.*(?=^const tf = )/ms.exec(block('deployment.md', 'redis'))
  const store = /store: .*(?= \}\)$)/m.exec(block('deployment.md', 'redis'))[0]
  const text = head + exchanged(/^ {2}appName: .*$/m, `  appName: 'Acme',\n  ${store},`)
  try {
    await withSandbox(project, (origin) => {
      const app = text.replace('http://127.0.0.1:4010', origin)
      const env = { REDIS_URL: `redis://127.0.0.1:${port}` }
      return runApp(project, 'redis.mjs', app, (url) => signIn(url, codeInInbox(origin)), env)
    })
  } finally {
    server.kill()
  }
  return ''
}
