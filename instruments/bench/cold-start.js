// Bar 8, the rest: what an app costs from the start of its process until it has served its first login, and what of
// it the first person waits for. Each side imports only what it needs.
import express from 'express'
import { host, serve } from './host.js'
import { firstLogin } from './load.js'
import { cpuUntil } from './sides.js'

const against = (what, atMost, theirs, part = 'all') => {
  const side = (name) => async (given) => {
    const cpu = await cpuUntil(import.meta.url, name, given, firstLogin)
    return cpu[part]
  }
  return {
    bar: 8,
    what: `first login served ${part === 'all' ? 'after a cold start' : 'once ready'} / ${what}, CPU`,
    atMost,
    ours: side('ours'),
    theirs: side(theirs),
  }
}

export const bars = [
  against('by an app with a password only', undefined, 'bare'),
  against('by hand on a verify SDK', 1, 'bySdk'),
  against('by hand on undici', 2, 'byHand', 'sinceListening'),
]

export async function ours({ provider }) {
  const { loginWithPackage } = await import('./login-with-package.js')
  const { openTwoFactor } = await import('./two-factor.js')
  const tf = openTwoFactor(provider)
  await tf.ready()
  return serve(loginWithPackage(tf))
}

export async function byHand({ provider }) {
  const { checksByUndici } = await import('./checks-by-hand.js')
  const { loginByHand } = await import('./login-by-hand.js')
  return serve(loginByHand(host(), checksByUndici(provider), 0))
}

export async function bySdk({ provider }) {
  const { checksBySdk } = await import('./checks-by-sdk.js')
  const { loginByHand } = await import('./login-by-hand.js')
  return serve(loginByHand(host(), checksBySdk(provider), 0))
}

export function bare() {
  const app = host()
  app.post('/login', express.json(), (req, res) => {
    req.session.userId = req.body.user
    res.status(201).json({ hello: req.session.userId })
  })
  return serve(app)
}
