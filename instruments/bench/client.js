// Bar 1: what one check of a code costs, from the call to its result.

import { createClient } from 'express-two-factor/client'
import { Pool } from 'undici'
import { checksBySdk } from './checks-by-sdk.js'
import { cpuOfConcurrent } from './cpu.js'
import { rightCode } from './provider.js'
import { figure } from './sides.js'

const calls = 6_000
const atOnce = 64
const phone = '+573001234567'

const side = (name) => (given) => figure(import.meta.url, name, given)

export const bars = [
  {
    bar: 1,
    what: 'verifyCode / bare Pool.request and JSON, CPU',
    atMost: 1.15,
    stretch: 1,
    ours: side('ours'),
    theirs: side('pool'),
  },
  {
    bar: 1,
    what: 'verifyCode / a verify SDK, CPU',
    atMost: 0.15,
    stretch: 0.11,
    ours: side('ours'),
    theirs: side('sdk'),
  },
]

export function ours({ provider }) {
  const client = createClient({ baseUrl: `${provider}/v1`, client: 41, key: 'k' })
  return cpuOfConcurrent(calls, atOnce, () => client.verifyCode({ phone, appName: 'Acme', code: rightCode }))
}

export function pool({ provider }) {
  const connections = new Pool(provider, { connections: 128 })
  const headers = { 'content-type': 'application/x-www-form-urlencoded' }
  const body = `client=41&key=k&phone=${phone.slice(1)}&app-name=Acme&code=${rightCode}`
  return cpuOfConcurrent(calls, atOnce, async () => {
    const answer = await connections.request({
      method: 'POST',
      path: '/v1/2fa/verification-code',
      headers,
      body,
    })
    return answer.body.json()
  })
}

export function sdk({ provider }) {
  const checks = checksBySdk(provider)
  return cpuOfConcurrent(calls, atOnce, () => checks.isRight(phone, rightCode))
}
