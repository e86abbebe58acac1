import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type BuildOptions, build } from 'esbuild'
import { expect, it, onTestFinished } from 'vitest'
import { observe, type Run } from './tools/cli/program.js'

/** A server as hosts write one, whose own sandbox stands for whatever else it needs. */
const server = `
  import express from 'express'
  import session from 'express-session'
  import { createClient, providerCodes, twoFactor } from 'express-two-factor'
  import { startSandbox } from 'express-two-factor/sandbox'

  startSandbox().then((sandbox) => {
    const tf = twoFactor({
      provider: providerCodes({
        client: createClient({ baseUrl: sandbox.baseUrl, ...sandbox.credentials }),
        approvedStatuses: sandbox.approvedStatuses,
      }),
      appName: 'Acme',
      secret: 'of the tests, and long enough for one',
      countries: ['CO'],
      subject: () => 'ana',
      phone: () => '+57 300 123 4567',
      onVerified: () => {},
    })
    const app = express()
    app.use(session({ secret: 'of the tests', resave: false, saveUninitialized: false }))
    app.use('/two-factor', tf.routes())
    const listener = app.listen(0, '127.0.0.1', () => {
      console.log('at', \`http://127.0.0.1:\${listener.address().port}\`, new URL(sandbox.inboxUrl).origin)
    })
  })
`

/** What of Express asks for Node's own modules by `require` has none in a module. */
const withRequire =
  "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);"

/** Puts a program into one file far from any package, and runs it there. */
async function bundled(contents: string, options: BuildOptions): Promise<Run> {
  const folder = mkdtempSync(join(tmpdir(), 'bundled-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const outfile = join(folder, options.format === 'cjs' ? 'server.cjs' : 'server.mjs')
  const stdin = { contents, resolveDir: fileURLToPath(new URL('..', import.meta.url)) }
  await build({ stdin, outfile, bundle: true, platform: 'node', logLevel: 'error', ...options })
  const program = observe(process.execPath, [outfile], {}, folder)
  onTestFinished(() => program.interrupt('SIGKILL'))
  return program
}

it.each(['cjs', 'esm'] as const)('a server in one file has its pages, as %s', async (format) => {
  const banner = format === 'esm' ? { banner: { js: withRequire } } : {}
  const program = await bundled(server, { format, ...banner })
  await program.saying(/at .*\n/)
  const [, app, inbox] = /at (\S+) (\S+)/.exec(program.out()) ?? []

  const files = [
    ...['page.css', 'page.js', 'dialog.js'].map((file) => `${app}/two-factor/${file}`),
    ...['inbox.css', 'inbox.js', 'inbox.svg'].map((file) => `${inbox}/${file}`),
  ]
  for (const file of files) {
    const answer = await fetch(file)
    expect(`${file} ${answer.status}`).toBe(`${file} 200`)
    expect((await answer.text()).length).toBeGreaterThan(100)
  }
  const page = await fetch(`${app}/two-factor`, { headers: { accept: 'text/html' } })
  expect(await page.text()).toContain('/two-factor/page.js')
  const start = await fetch(`${app}/two-factor/start`, { method: 'POST' })
  expect(start.status).toBe(201)
  expect(program.err()).not.toContain('Error')
})

it('errors keep their names although a minifier removes those from classes', async () => {
  const failing = `
    import { createClient } from 'express-two-factor/client'
    const client = createClient({ baseUrl: 'http://127.0.0.1:9/v1', client: 1, key: 'k' })
    client.balance().catch((error) => console.log(String(error)))
  `
  const program = await bundled(failing, { format: 'cjs', minify: true })
  await program.saying(/balance: /)
  expect(program.out()).toMatch(/^ProviderError: balance: no connection \(ECONNREFUSED\)/)
})
