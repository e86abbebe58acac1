import { expect, it } from 'vitest'
import { createKeys, createSecrets } from '../../../src/challenge/keys.js'
import { defaultLimits, defaultTimeouts } from '../../../src/challenge/limits.js'
import {
  createDeployments,
  listSecretUsers,
  shortHashOf,
} from '../../../src/challenge/operator/deployment.js'
import { openInspection } from '../../../src/challenge/operator/inspection.js'
import { memoryStore } from '../../../src/index.js'
import { minute } from '../kit.js'

const older = 'an older secret of thirty-two bytes.'
const newer = 'a newer secret of thirty-two bytes..'
const limits = { ...defaultLimits, ...defaultTimeouts }

/** The hosts of one app on one store, under a hand-moved clock. */
function setUp() {
  const clock = { now: 1_800_000_000_000 }
  const now = () => clock.now
  const store = memoryStore({ now })
  const open = (host: string, ...given: readonly [string, ...string[]]) => {
    const secrets = createSecrets(given)
    const parts = { store, secrets, now, keys: createKeys('', secrets), namespace: '' }
    const deployments = createDeployments(parts, host)
    const record = { limits: { ...limits, sendsPerDay: host.length }, knownMaxAgeMs: 1, trustedMaxAgeMs: 0 }
    return { save: () => deployments.save(record), restore: () => deployments.restore(record), deployments }
  }
  const users = () => listSecretUsers(store, '', now)
  return { clock, store, open, users, now }
}

it('lists the hosts of all processes by their secrets, until five minutes after their end', async () => {
  const { clock, store, open, users, now } = setUp()
  const web1 = open('web-1', older)
  const web2 = open('web-2', older)
  const odd = open('odd', newer, older)
  expect(await users()).toEqual([])
  for (const one of [web1, odd, open('ended', newer), web2]) await one.save()
  const [old, young] = [older, newer].map((secret) => shortHashOf(secret, ''))
  expect(old).toMatch(/^[\w-]{6}$/)
  expect(await users()).toEqual([
    { hashes: [old], hosts: ['web-1', 'web-2'] },
    { hashes: [young, old], hosts: ['odd'] },
    { hashes: [young], hosts: ['ended'] },
  ])

  for (let passed = 0; passed < 5; passed += 1) {
    clock.now += minute
    for (const one of [web2, odd, web1]) await one.restore()
  }
  expect((await users()).map(({ hosts }) => hosts)).toEqual([['web-1', 'web-2'], ['odd']])
  // A repeated write keeps the facts of the process that started last.
  expect(await web1.deployments.find()).toMatchObject({ limits: { sendsPerDay: 'web-2'.length } })
  expect(await openInspection({ store, secret: newer, namespace: '' }, now)).toBe('other-secret')
})

it('opens with the older secret while two are set, and not with the newer one', async () => {
  const { store, open, now } = setUp()
  await open('web-1', newer, older).save()
  const opened = (secret: string) => openInspection({ store, secret, namespace: '' }, now)
  expect(await opened(older)).toBeTypeOf('object')
  expect(await opened(newer)).toBe('other-secret')
})

it('lists no host whose clock was far ahead', async () => {
  const { clock, open, users } = setUp()
  clock.now += 10 * minute
  await open('ahead', older).save()
  clock.now -= 10 * minute
  expect(await users()).toEqual([])
})

it('lists each of many hosts that start at once', async () => {
  const { clock, open, users } = setUp()
  const hosts = Array.from({ length: 20 }, (_, index) => open(`web-${index}`, older))
  await Promise.all(hosts.map(({ save }) => save()))
  for (const { restore } of hosts) await restore()
  expect((await users())[0]?.hosts).toHaveLength(20)
  clock.now += minute
  await Promise.all(Array.from({ length: 60 }, (_, index) => open(`job-${index}`, older).save()))
  for (let index = 0; index < 60; index += 1) await open(`job-${index}`, older).restore()
  expect((await users())[0]?.hosts).toHaveLength(50)
})

it('writes the record of a host again only before its line expires', async () => {
  const { clock, store, open } = setUp()
  const { save, restore } = open('web-1', older)
  await save()
  const version = async () => (await store.read('tf3::deployment:last'))?.version
  const written = await version()
  clock.now += minute
  await restore()
  expect(await version()).toBe(written)
  clock.now += minute
  await restore()
  expect(await version()).not.toBe(written)
})

it('lists no host of a record without hosts, which an earlier version wrote', async () => {
  const { store, open, users } = setUp()
  const { restore } = open('web-1', older)
  const earlier = { secret: 'tag', limits, knownMaxAgeMs: 1, trustedMaxAgeMs: 0, later: true }
  await store.swap('tf3::deployment:last', undefined, earlier, minute)
  expect(await users()).toEqual([])
  await restore()
  expect(await users()).toMatchObject([{ hosts: ['web-1'] }])
  expect((await store.read('tf3::deployment:last'))?.value).toMatchObject(earlier)
})
