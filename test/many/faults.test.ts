import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type ProviderStub, startProviderStub } from '../provider-stub.js'
import { type RedisServer, startRedis, until, withoutRedis } from '../store/redis-server.js'
import { expectSound, expectUnavailable, expectWell, storeTimeoutMs } from './expectations.js'
import { challenged, newcomer, type Person, signedIn } from './people.js'
import { type Instance, startInstance, type Told } from './processes.js'

let stub: ProviderStub
beforeAll(async () => {
  if (!withoutRedis) stub = await startProviderStub()
})
afterAll(() => stub?.close())

describe.skipIf(withoutRedis).each(['redis', 'ioredis'] as const)('an app through %s', (clientName) => {
  let server: RedisServer
  let instance: Instance
  let people: { admitted: Person; guesser: Person; intruder: Person }
  beforeAll(async () => {
    server = await startRedis()
    instance = await startInstance({
      provider: stub.baseUrl,
      clientName,
      redisPorts: [server.port],
      storeTimeoutMs,
    })
  })
  afterAll(async () => {
    await instance?.end()
    await server?.kill()
  })
  beforeEach(async () => {
    people = {
      admitted: await signedIn(instance, stub),
      guesser: await challenged(instance),
      intruder: newcomer(instance),
    }
  })
  afterEach(async () => {
    // No rejection went unhandled: that would have ended it.
    expect(instance.isAlive()).toBe(true)
    await expectSound([server])
  })

  /** Every route says at once that the store cannot be used; nobody is let in, nothing sent, no code judged. */
  async function expectNothingWorks(): Promise<void> {
    const { admitted, guesser, intruder } = people
    const [sends, checks] = [stub.sends.length, stub.checks.length]
    const { rightCode } = stub
    const questions: Readonly<Record<string, () => Promise<Told>>> = {
      start: () => intruder.start(),
      resend: () => guesser.resend(),
      verify: () => guesser.verify(rightCode),
      status: () => guesser.status(),
      cancel: () => guesser.cancel(),
      guard: () => admitted.account(),
      'guard of an intruder': () => intruder.account(),
      'guard that takes the grant': () => admitted.transfer(),
    }
    // All at once, so that the deadline of the store is waited for once.
    await Promise.all(
      Object.entries(questions).map(async ([what, ask]) => expectUnavailable(await ask(), what)),
    )
    expect([stub.sends.length, stub.checks.length]).toEqual([sends, checks])
  }

  const recovered = () => until(async () => (await people.intruder.status()).status === 200)

  it('answers 503 while Redis is frozen, and goes on when it thaws', async () => {
    server.freeze()
    await expectNothingWorks()
    server.thaw()
    await recovered()
    expect((await people.admitted.account()).status).toBe(200)
    expect((await people.intruder.account()).status).toBe(401)
    await expectWell(instance, stub)
  })

  it('answers 503 while Redis is dead, and remembers nothing that Redis has forgotten', async () => {
    await server.kill()
    await expectNothingWorks()
    await server.restart()
    await recovered()
    expect((await people.admitted.account()).status).toBe(401)
    await expectWell(instance, stub)
  })

  it('answers 503 where Redis has become a replica', async () => {
    const other = await startRedis()
    await server.ask('REPLICAOF', '127.0.0.1', `${other.port}`)
    await expectNothingWorks()
    await server.ask('REPLICAOF', 'NO', 'ONE')
    await recovered()
    await expectWell(instance, stub)
    await other.kill()
  })

  it('sends and checks nothing when Redis is out of memory, and still knows earlier sign-ins', async () => {
    const { admitted, guesser, intruder } = people
    const [sends, checks] = [stub.sends.length, stub.checks.length]
    await server.ask('CONFIG', 'SET', 'maxmemory', '1')
    const startedAt = performance.now()
    expectUnavailable(await intruder.start(), 'start')
    expect(performance.now() - startedAt).toBeGreaterThan(1_400)
    expectUnavailable(await guesser.verify(stub.rightCode), 'verify')
    expect((await guesser.status()).status).toBe(200)
    expect((await admitted.account()).status).toBe(200)
    expect((await intruder.account()).status).toBe(401)
    expect([stub.sends.length, stub.checks.length]).toEqual([sends, checks])
    await server.ask('CONFIG', 'SET', 'maxmemory', '0')
    expect((await guesser.verify(stub.rightCode)).status).toBe(200)
    await expectWell(instance, stub)
  })

  it('goes on as if nothing were when Redis forgets its scripts', async () => {
    let flushing = true
    const flushed = (async () => {
      while (flushing) await server.ask('SCRIPT', 'FLUSH')
    })()
    for (let round = 0; round < 3; round += 1) await expectWell(instance, stub)
    flushing = false
    await flushed
  })
})
