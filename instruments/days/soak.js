// The soak itself: rounds of logins, trouble in between, and what was found on the way.
import { setTimeout as wait } from 'node:timers/promises'
import { seeded } from '../../test/seeded.js'
import { startApp } from './apps.js'
import { accounts } from './people.js'
import { startProvider } from './provider.js'
import { oneOf, shuffled } from './random.js'
import { startRedis } from './redis.js'
import { createVisits } from './visits.js'

const minute = 60_000
// A week in about a hundred rounds, short and long ones in turn.
const steps = [2, 180, 5, 60, 480, 10, 30].map((minutes) => minutes * minute)
const atOnce = 128
/** Rounds between two ends of the second app. */
const restartEvery = 4

/** Runs so many logins, or as many as the minutes allow. Resolves with all that was seen. */
export async function soak({ logins, minutes, seed, say }) {
  const random = seeded(seed)
  const perRound = Math.min(2_000, Math.ceil(logins / restartEvery))
  const everybody = accounts(2 * perRound)
  const [targets, others] = [true, false].map((is) => everybody.filter(({ isTarget }) => isTarget === is))
  const startedAt = Date.now()
  let ahead = 0
  const now = () => Date.now() + ahead

  const redis = await startRedis()
  const provider = await startProvider({ random, now })
  const setting = { provider: provider.baseUrl, redisPort: redis.port }
  const open = (clientName) => startApp({ ...setting, clientName, aheadMs: ahead, seed: random(1_000_000) })
  // The first lives all along, so that its heap tells; the second is stopped and killed.
  const apps = [await open('redis'), await open('ioredis')]
  const { login, isLetIn } = createVisits({ apps, provider, random })
  const told = {
    logins: 0,
    succeeded: 0,
    asked: logins,
    letInTwice: 0,
    letInWithoutVerdict: 0,
    letInLater: 0,
    keptOut: 0,
    handles: [],
    neverEnded: 0,
    heap: [],
    requests: 0,
    storeFaults: {},
    troubles: {},
    restarts: { stopped: 0, killed: 0 },
  }

  function count(where, what, by = 1) {
    where[what] = (where[what] ?? 0) + by
  }

  async function stop(app) {
    const { handles, faults, requests, ended } = await app.stop()
    told.handles.push(...handles)
    if (!ended) told.neverEnded += 1
    told.requests += requests
    for (const [kind, times] of Object.entries(faults)) count(told.storeFaults, kind, times)
  }

  async function trouble() {
    if (random(100) >= 30) return
    const kind = oneOf(random, Object.keys(redis.troubles))
    count(told.troubles, kind)
    await wait(random(300))
    await redis.troubles[kind]()
  }

  async function killSecond() {
    await wait(random(300))
    count(told.restarts, 'killed')
    const second = apps[1]
    apps[1] = apps[0]
    await second.kill()
    apps[1] = await open('ioredis')
  }

  /** Everything that can be wrong with one login, asked once its round is over. */
  async function judge(visit) {
    const { codes, letInBy, unheard, phone } = visit
    if (letInBy.length > 0) told.succeeded += 1
    if (letInBy.length > 1) told.letInTwice += 1
    if (letInBy.some((code) => !provider.hasApproved(phone, code))) told.letInWithoutVerdict += 1
    const letIn = await isLetIn(visit)
    if (letIn === false && letInBy.length > 0) told.keptOut += 1
    if (letIn !== true || letInBy.length > 0) return
    // Nobody heard the answer of an app that was killed: it may have been a yes.
    if (!unheard) told.letInLater += 1
    if (![...codes].some((code) => provider.hasApproved(phone, code))) told.letInWithoutVerdict += 1
  }

  async function round(index) {
    if (index % restartEvery === 1) {
      count(told.restarts, 'stopped')
      await stop(apps[1])
      apps[1] = await open('ioredis')
    }
    // Targets come every time, everybody else every other time.
    const most = Math.min(perRound, logins - told.logins)
    const people = [...targets, ...shuffled(random, others)].slice(0, most)
    const meanwhile = [trouble()]
    if (index % restartEvery === 3) meanwhile.push(killSecond())
    const visits = await inTurns(people, login)
    await Promise.all(meanwhile)
    await inTurns(visits, judge)
    told.logins += people.length
    const step = steps[index % steps.length]
    ahead += step
    for (const app of apps) app.pass(step)
    await redis.pass(step)
  }

  const measureEvery = Math.max(1, Math.ceil(logins / perRound / 50))
  for (let index = 0; told.logins < logins && Date.now() - startedAt < minutes * minute; index += 1) {
    await round(index)
    if (index % measureEvery !== 0) continue
    const { heap } = await apps[0].measure()
    told.heap.push({ logins: told.logins, heap })
    const seconds = Math.round((Date.now() - startedAt) / 1_000)
    const days = ((now() - startedAt) / (24 * 60 * minute)).toFixed(1)
    const mib = (heap / 2 ** 20).toFixed(1)
    say(`${String(told.logins).padStart(7)} logins  day ${days}  heap ${mib} MiB  ${seconds} s`)
  }
  for (const app of apps) await stop(app)
  await redis.stop()
  provider.close()
  const tookMs = Date.now() - startedAt
  return { ...told, ...provider.figures(), numbers: provider.numbers, tookMs, livedMs: tookMs + ahead }
}

/** Does it for each, so many at once. */
async function inTurns(list, act) {
  const results = []
  let next = 0
  const one = async () => {
    while (next < list.length) {
      const index = next++
      results[index] = await act(list[index])
    }
  }
  await Promise.all(Array.from({ length: atOnce }, one))
  return results
}
