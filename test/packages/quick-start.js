// The quick start of the README, pasted as a reader would paste it, and used as a person would use it.
import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { freePort } from '../free-port.js'

const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8')

/** The code block of a document that follows this mark. */
export const pasted = (text, mark) =>
  new RegExp(`<!-- ${mark} -->\n\`\`\`\\w+\n(.*?)\`\`\``, 's').exec(text)[1]
export const app = pasted(readme, 'quick start')
const types = pasted(readme, 'quick start: types')

/** The app as CommonJS: its imports as calls of `require`, and nothing else changed. */
const commonJs = app.replaceAll(/^import (.+) from ('.+')$/gm, 'const $1 = require($2)')

/** The same app as TypeScript, in both kinds of modules. Resolves to the names of its files. */
export function pasteTypeScript(project) {
  writeFileSync(join(project, 'app.mts'), app + types)
  writeFileSync(join(project, 'app.cts'), app + types)
}

/** Signs in with a code: once with the app as a module, once with `require`. */
export async function signInTwice(project) {
  await withSandbox(project, async (origin) => {
    for (const [file, text] of [
      ['app.mjs', app],
      ['app.cjs', commonJs],
    ]) {
      const here = text.replace('http://127.0.0.1:4010', origin)
      await runApp(project, file, here, (url) => signIn(url, codeInInbox(origin)))
    }
  })
}

/** Runs the command of the package beside what is done meanwhile. */
export async function withSandbox(project, use) {
  const command = join(project, 'node_modules', '.bin', 'express-two-factor')
  const sandbox = start(command, ['sandbox', '--port', '0'], project)
  try {
    const [origin] = await sandbox.says(/http:\/\/127\.0\.0\.1:\d+/)
    await use(origin)
  } finally {
    await sandbox.stop()
  }
}

/** Runs an app of the documents on a port of its own. */
export async function runApp(project, file, text, use, env = {}) {
  writeFileSync(join(project, file), text.replaceAll('3000', String(await freePort())))
  const running = start('node', [file], project, env)
  try {
    const [url] = await running.says(/http:\/\/localhost:\d+\/account/)
    await use(url)
  } finally {
    await running.stop()
  }
}

/** Takes the code out of the inbox, so that the next one is found. */
export const codeInInbox = (inbox) => async () => {
  const message = await fetch(`${inbox}/_sandbox/messages/wait?phone=573001234567`)
  const { id, code } = await message.json()
  await fetch(`${inbox}/_sandbox/messages/${id}`, { method: 'DELETE' })
  return code
}

/** One person in one browser: a page that wants a sign-in, a wrong password, a wrong code, the right one. Resolves to the code page. */
export async function signIn(url, codeSent) {
  const visit = browser(new URL(url).origin)
  expect('without a sign-in', (await visit('/account')).text, 'name="password"')
  expect('a wrong password', (await visit('/login', { name: 'ana', password: 'guess' })).status, 401)
  expect('nobody of that name', (await visit('/login', { name: 'eve' })).status, 401)

  const page = await visit('/login?returnTo=%2Faccount%3Ftab%3D2', { name: 'ana', password: 'sesame' })
  expect('the code page', page.text, 'one-time-code')
  const hidden = [...page.text.matchAll(/<input type="hidden" name="(\w+)" value="([^"]*)"/g)]
  const fields = Object.fromEntries(hidden.map(([, name, value]) => [name, value]))
  expect('the page that the code leads to', fields.returnTo, '/account?tab=2')
  const code = await codeSent()
  const wrong = code === '000000' ? '000001' : '000000'
  expect('a wrong code', (await visit('/two-factor/verify', { ...fields, code: wrong })).status, 422)
  expect('after the code', (await visit('/two-factor/verify', { ...fields, code })).text, 'Signed in as ana.')
  expect('afterwards', (await visit('/account')).text, 'Signed in as ana.')
  return page.text
}

/** Keeps cookies, follows redirects, and sends what a browser would. */
function browser(origin) {
  const cookies = new Map()
  return async function visit(path, form) {
    const response = await fetch(origin + path, {
      method: form === undefined ? 'GET' : 'POST',
      redirect: 'manual',
      headers: {
        accept: 'text/html',
        cookie: [...cookies].map((pair) => pair.join('=')).join('; '),
        ...(form && { origin }),
      },
      ...(form && { body: new URLSearchParams(form) }),
    })
    for (const cookie of response.headers.getSetCookie()) {
      const [name, value] = cookie.split(';', 1)[0].split('=')
      cookies.set(name, value)
    }
    const location = response.headers.get('location')
    if (location !== null) return visit(location)
    return { status: response.status, text: await response.text() }
  }
}

export function expect(what, found, wanted) {
  const fits = typeof found === 'string' ? found.includes(wanted) : found === wanted
  if (!fits) throw new Error(`quick start, ${what}: expected ${wanted}, found ${found}`)
}

/** A process whose output can be waited for. */
function start(command, args, cwd, env = {}) {
  const secret = { TWO_FACTOR_SECRET: randomBytes(32).toString('hex') }
  const child = spawn(command, args, { cwd, env: { ...process.env, ...secret, ...env } })
  let said = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (text) => {
      said += text
      child.emit('said')
    })
  }
  const ended = once(child, 'exit').then(() => child.emit('said'))
  return {
    async says(pattern) {
      while (!pattern.test(said)) {
        if (child.exitCode !== null) throw new Error(`${command} ended: ${said}`)
        await once(child, 'said')
      }
      return pattern.exec(said)
    },
    async stop() {
      child.kill()
      await ended
    },
  }
}
