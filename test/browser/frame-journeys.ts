import express from 'express'
import session from 'express-session'
import { expect, it, onTestFinished } from 'vitest'
import { en } from '../../src/express/pages/messages/en.js'
import { startHost, usualRoutes } from '../express/kit.js'
import { listening } from '../listening.js'
import type { EngineName } from './engines/tab.js'
import type { Visitor } from './engines/visitor.js'

const day = 24 * 3_600_000
const trust = "Don't ask for a code at sign-in on this device for 30 days"

/** An app of one page, which a frame may contain. It says how Ana got in, or why not. */
const page = `<!doctype html><html lang="en"><title>Acme</title>
<h1>Acme</h1><button id="in">Sign in</button><button id="out">Sign out</button><output></output>
<script type="module">
  import { fetchWithCode } from '/two-factor/dialog.js'
  const say = (text) => { document.querySelector('output').value = text }
  const headers = { 'content-type': 'application/json' }
  const post = (path, body) => fetch(path, { method: 'POST', headers, body: JSON.stringify(body) })
  document.querySelector('#in').onclick = async () => {
    await post('/login', { user: 'ana' })
    const response = await fetchWithCode('/in')
    const { method, detail } = await response.json()
    say(detail ?? 'In by ' + method)
  }
  document.querySelector('#out').onclick = async () => {
    await post('/logout')
    say('Out')
  }
</script>`

/** The app, and a page of another site that frames it. */
async function startFramed(partitioned: boolean) {
  const cookie = { sameSite: 'none', secure: true, partitioned } as const
  const host = await startHost({
    options: { trustedDevices: { maxAgeMs: 30 * day } },
    addSession: (app) => app.use(session({ secret: 's', resave: false, saveUninitialized: false, cookie })),
    routes(app, tf) {
      app.get('/', (_req, res) => void res.send(page))
      usualRoutes(app, tf)
      app.get('/in', tf.requireTwoFactor(), (req, res) => {
        res.json({ method: req.twoFactor?.grant.method })
      })
    },
  })
  const app = await listening(host.app, '127.0.0.1', 'https')
  const frame = `<!doctype html><title>Other</title><iframe src="${app.origin}/" style="width: 40rem; height: 40rem"></iframe>`
  const other = await listening(
    express().get('/', (_req, res) => void res.send(frame)),
    'localhost',
    'https',
  )
  onTestFinished(async () => {
    await app.close()
    await other.close()
  })
  return { host, origin: other.origin }
}

const sessions = { partitioned: true, unpartitioned: false }
type SessionKind = keyof typeof sessions

/** The sessions that reach no frame of another site. WebKitGTK has no partitions, and keeps no cookie for frames. */
const blocked: Readonly<Record<EngineName, readonly SessionKind[]>> = {
  Chromium: ['unpartitioned'],
  Firefox: [],
  WebKit: ['partitioned', 'unpartitioned'],
}

/** The journeys of a person who uses the app in a frame of another site, in the browser that `visitor` drives. */
export function itWorksInAFrame(visitor: () => Visitor): void {
  it.each(Object.keys(sessions) as SessionKind[])(
    'trusts a device in a frame of another site, or does not offer it: %s session',
    async (kind) => {
      const { host, origin } = await startFramed(sessions[kind])
      const { engine, visit, inFrame } = visitor()
      await visit(origin)
      const ana = await inFrame()
      await ana.tap('Sign in')
      if (blocked[engine].includes(kind)) {
        await ana.see(`${en['problem.not_identified.title']}. ${en['problem.not_identified.text']}`)
        expect(await ana.text()).not.toContain(trust)
        expect(host.stub.sends).toEqual([])
        return
      }
      await ana.tap(trust)
      await ana.fill(en['code.label'], host.stub.rightCode)
      await ana.tap(en['code.submit'])
      await ana.see('In by code')
      await ana.tap('Sign out')
      await ana.see('Out')
      host.clock.now += 61_000
      await ana.tap('Sign in')
      await ana.see('In by trusted-device')
      expect(host.stub.sends).toHaveLength(1)
    },
  )
}
