// An app with a login in two steps, on this package, on better-auth, and by hand: on undici, with and without protections, and on a verify SDK.
import { once } from 'node:events'
import { redisStore } from 'express-two-factor/redis'
import { Redis } from 'ioredis'
import { checksByUndici } from './checks-by-hand.js'
import { checksBySdk } from './checks-by-sdk.js'
import { crowdedStore } from './crowd.js'
import { host, serve } from './host.js'
import { loginByHand } from './login-by-hand.js'
import { loginOnBetterAuth } from './login-on-better-auth.js'
import { protect } from './login-protected.js'
import { loginWithPackage } from './login-with-package.js'
import { openTwoFactor } from './two-factor.js'

export async function ours({ provider, ledgers = 0, redis }) {
  const store = redis === undefined ? await crowdedStore(ledgers) : await storeOnRedis(redis)
  return serve(loginWithPackage(openTwoFactor(provider, { store, limits: { failuresBeforeLock: 5 } })))
}

export function byHand({ provider, ledgers = 0 }) {
  return serve(loginByHand(host(), checksByUndici(provider), ledgers))
}

export function bySdk({ provider }) {
  return serve(loginByHand(host(), checksBySdk(provider), 0))
}

export function protectedByHand({ provider }) {
  return serve(loginByHand(host(), checksByUndici(provider), 0, protect()))
}

export async function onBetterAuth({ provider }) {
  return serve(await loginOnBetterAuth(host(), checksByUndici(provider)))
}

async function storeOnRedis(port) {
  const client = new Redis(port)
  await once(client, 'ready')
  await client.flushall()
  return redisStore({ client })
}
