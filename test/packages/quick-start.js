// The quick start of the README, pasted as a reader would paste it, and used as a person would use it.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'

const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8')
const pasted = (mark) => new RegExp(`<!-- ${mark} -->\n\`\`\`\\w+\n(.*?)\`\`\``, 's').exec(readme)[1]
const app = pasted('quick start')
const types = pasted('quick start: types')

/** The app as CommonJS: its imports as calls of `require`, and nothing else changed. */
const commonJs = app.replaceAll(/^import (.+) from ('.+')$/gm, 'const $1 = require($2)')

/** The same app as TypeScript, in both kinds of modules. Resolves to the names of its files. */
export function pasteTypeScript(project) {
  writeFileSync(join(project, 'app.mts'), app + types)
  writeFileSync(join(project, 'app.cts'), app + types)
}

/** Signs in with a code: once with the app as a module, once with `require`. */
export async function signInTwice(project) {
  const command = join(project, 'node_modules', '.bin', 'express-two-factor')
  const sandbox = start(command, ['sandbox', '--port', '0'], project)
  try {
    const [origin] = await sandbox.says(/http:\/\/127\.0\.0\.1:\d+/)
    for (const [file, text] of [
      ['app.mjs', app],
      ['app.cjs', commonJs],
    ]) {
      const port = await freePort()
      const here = text.replace('http://127.0.0.1:4010', origin).replaceAll('3000', port)
      writeFileSync(join(project, file), here)
      const running = start('node', [file], project)
      try {
        const [url] = await running.says(/http:\/\/localhost:\d+\/account/)
        await signIn(url, origin)
      } finally {
        await running.stop()
      }
    }
  } finally {
    await sandbox.stop()
  }
}

/** One person in one browser: a page that wants a sign-in, a wrong password, a wrong code, the right one. */
async function signIn(url, inbox) {
  const visit = browser(new URL(url).origin)
  expect('without a sign-in', (await visit('/account')).text, 'href="/login')
  expect('the form', (await visit('/login')).text, 'name="password"')
  expect('a wrong password', (await visit('/login', { name: 'ana', password: 'guess' })).status, 401)
  expect('nobody of that name', (await visit('/login', { name: 'eve' })).status, 401)

  const page = await visit('/login', { name: 'ana', password: 'sesame' })
  expect('the code page', page.text, 'one-time-code')
  const hidden = [...page.text.matchAll(/<input type="hidden" name="(\w+)" value="([^"]*)"/g)]
  const fields = Object.fromEntries(hidden.map(([, name, value]) => [name, value]))
  const message = await fetch(`${inbox}/_sandbox/messages/wait?phone=573001234567`)
  const { id, code } = await message.json()
  const wrong = code === '000000' ? '000001' : '000000'
  expect('a wrong code', (await visit('/two-factor/verify', { ...fields, code: wrong })).status, 422)
  expect('after the code', (await visit('/two-factor/verify', { ...fields, code })).text, 'Signed in as ana.')
  expect('afterwards', (await visit('/account')).text, 'Signed in as ana.')
  await fetch(`${inbox}/_sandbox/messages/${id}`, { method: 'DELETE' })
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

function expect(what, found, wanted) {
  const fits = typeof found === 'string' ? found.includes(wanted) : found === wanted
  if (!fits) throw new Error(`quick start, ${what}: expected ${wanted}, found ${found}`)
}

/** A process whose output can be waited for. */
function start(command, args, cwd) {
  const child = spawn(command, args, { cwd })
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

async function freePort() {
  const server = createServer().listen(0)
  await once(server, 'listening')
  const { port } = server.address()
  server.close()
  await once(server, 'close')
  return String(port)
}
