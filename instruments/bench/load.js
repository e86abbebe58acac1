import { Pool } from 'undici'
import { rightCode } from './provider.js'

/** A load has warmed up for some units and is then measured for others; `start` gives what runs more of them. */
const load = (warmUp, units, start) => ({ warmUp, units, start })

/** Whole logins, each of a new person: password, wrong code, right code, guarded page. */
export const logins = ({ atOnce = 64, warmUp = 2_000, units = 1_000 } = {}) =>
  load(warmUp, units, (port, process) => {
    const pool = poolOf(port, atOnce)
    // Processes that share a store have no number in common.
    let people = process * 1_000_000
    return (count) => together(count, atOnce, () => login(pool, `u${people++}`))
  })

/** The first step of one login, asked of an app that has just begun to listen. */
export async function firstLogin(port) {
  const pool = poolOf(port, 1)
  await browser(pool)('POST', '/login', 201, { user: 'u0' })
  await pool.close()
}

/** Requests of fifty people who are signed in. */
export const signedInRequests = (...request) => requestsOf(login, request)

/** Requests of fifty people who have given wrong codes until their numbers were locked. */
export const lockedRequests = (...request) => requestsOf(lockOut, request)

function requestsOf(arrive, [method, path, status, body]) {
  return load(3_000, 4_000, (port, process) => {
    const pool = poolOf(port, 16)
    const browsers = []
    const someone = () => arrive(pool, `u${process * 1_000_000 + browsers.length}`)
    return async (count) => {
      while (browsers.length < 50) browsers.push(await someone())
      let turn = 0
      await together(count, 16, () => browsers[turn++ % browsers.length](method, path, status, body))
    }
  })
}

async function login(pool, user) {
  const ask = browser(pool)
  await ask('POST', '/login', 201, { user })
  await ask('POST', '/two-factor/verify', 422, { code: '000000' })
  await ask('POST', '/two-factor/verify', 200, { code: rightCode })
  await ask('GET', '/account', 200)
  return ask
}

async function lockOut(pool, user) {
  const ask = browser(pool)
  await ask('POST', '/login', 201, { user })
  for (const code of ['000001', '000002', '000003', '000004', '000005']) {
    await ask('POST', '/two-factor/verify', 422, { code })
  }
  return ask
}

/** JSON over loopback, and the cookies of one person. */
export function browser(pool) {
  const cookies = new Map()
  return async (method, path, status, body) => {
    const headers = {}
    if (cookies.size > 0) headers.cookie = [...cookies.values()].join('; ')
    if (body !== undefined) headers['content-type'] = 'application/json'
    const text = body === undefined ? null : JSON.stringify(body)
    const answer = await pool.request({ method, path, headers, body: text })
    const said = await answer.body.text()
    if (answer.statusCode !== status) throw new Error(`${path} answered ${answer.statusCode}: ${said}`)
    for (const set of [answer.headers['set-cookie'] ?? []].flat()) {
      const [pair] = set.split(';', 1)
      cookies.set(pair.slice(0, pair.indexOf('=')), pair)
    }
  }
}

const timeout = 10_000
export const poolOf = (port, connections) =>
  new Pool(`http://127.0.0.1:${port}`, { connections, headersTimeout: timeout, bodyTimeout: timeout })

async function together(count, atOnce, act) {
  let left = count
  const one = async () => {
    while (left-- > 0) await act()
  }
  await Promise.all(Array.from({ length: atOnce }, one))
}
