// What people meet while the provider takes four seconds for everything, at so much of what it carries: who gets in, how
// many codes are paid, and how many right codes are lost. It takes as long as people wait, two minutes:
//
//   npm run bench:slow -- 0.75 1.5 3.75
import { createServer } from 'node:http'
import { argv, exit } from 'node:process'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { createClient, memoryStore, providerCodes, twoFactor } from 'express-two-factor'

const workers = 64
const workMs = 4_000
const arrivalsMs = 40_000
/** A sign-in is two exchanges. */
const signInsPerSecond = workers / (workMs / 1_000) / 2
const mostTries = 3
const betweenTriesMs = 5_000
/** From asking for a code to typing it. */
const typedAfterMs = 8_000

/** Carries out what it was sent, in the order in which it came, also what nobody waits for any more. */
async function startProvider() {
  const newest = new Map()
  const used = new Set()
  let paid = 0

  function sent(form) {
    paid += 1
    newest.set(form.get('phone'), String(100_000 + paid))
    return { status: 'queued', minutes_to_expire: 5 }
  }
  function checked(form) {
    const code = form.get('code')
    const isRight = newest.get(form.get('phone')) === code && !used.has(code)
    if (isRight) used.add(code)
    return { status: isRight ? 'verified' : 'wrong' }
  }

  const waiting = []
  let busy = 0
  async function work() {
    busy += 1
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      await sleep(workMs)
      next()
    }
    busy -= 1
  }

  const server = createServer(async (req, res) => {
    const form = new URLSearchParams(await text(req))
    waiting.push(() => {
      res.setHeader('content-type', 'application/json')
      res.end(JSON.stringify(req.url.includes('/send') ? sent(form) : checked(form)))
    })
    if (busy < workers) await work()
  })
  await new Promise((listens) => server.listen(0, '127.0.0.1', listens))
  return {
    baseUrl: `http://127.0.0.1:${server.address().port}/v1`,
    codeFor: (phone) => newest.get(phone.slice(1)),
    isUsed: (code) => used.has(code),
    paid: () => paid,
    close: () => server.close(),
  }
}

const appOn = ({ baseUrl }) =>
  twoFactor({
    provider: providerCodes({
      client: createClient({ baseUrl, client: 41, key: 'a key' }),
      approvedStatuses: ['verified'],
    }),
    appName: { login: 'Acme' },
    secret: 'a secret of thirty-two bytes or more',
    countries: ['CO'],
    store: memoryStore(),
    subject: () => undefined,
    phone: () => undefined,
    onVerified: () => undefined,
    onEvent: () => undefined,
    limits: { serviceSendsPerMinute: 100_000 },
  })

/** Somebody asks for a code until one has come, and types it until it was taken, each a few times. */
async function signIn({ challenges }, { codeFor, isUsed }, index) {
  const phone = `+57300${1_000_000 + index}`
  const who = { subject: `person-${index}`, session: `session-${index}`, phone }
  const failed = (error) => error
  for (let tries = 0; tries < mostTries && codeFor(phone) === undefined; tries += 1) {
    const { outcome } = await challenges.start({ ...who, purpose: 'login' }).catch(failed)
    await sleep(outcome === 'started' ? typedAfterMs : betweenTriesMs)
  }
  const code = codeFor(phone)
  for (let tries = 0; tries < mostTries && code !== undefined; tries += 1) {
    const { outcome } = await challenges.verify({ ...who, code }).catch(failed)
    if (outcome === 'approved') return 'in'
    await sleep(betweenTriesMs)
  }
  return isUsed(code) ? 'right code lost' : 'out'
}

async function measure(share) {
  const provider = await startProvider()
  const app = appOn(provider)
  const people = Math.round((share * signInsPerSecond * arrivalsMs) / 1_000)
  const ends = await Promise.all(
    Array.from({ length: people }, async (_, index) => {
      await sleep((index / people) * arrivalsMs)
      return signIn(app, provider, index)
    }),
  )
  await app.close()
  provider.close()
  const count = (end) => ends.filter((each) => each === end).length
  const lost = count('right code lost')
  return `${share} of what it carries: ${people} people, ${count('in')} in, ${provider.paid()} codes paid, ${lost} right codes lost`
}

const shares = argv.length > 2 ? argv.slice(2).map(Number) : [0.75, 1.5, 3.75]
// Side by side, each with a provider of its own: nobody computes anything.
for (const figures of await Promise.all(shares.map(measure))) console.log(figures)
exit()
