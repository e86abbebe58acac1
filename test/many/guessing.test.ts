import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { enough } from '../in-full.js'
import { figure } from '../prove/figure.js'
import { type ProviderStub, startProviderStub } from '../provider-stub.js'
import { withoutRedis } from '../store/redis-server.js'
import { guess, type Instance, type Setting, startInstance } from './processes.js'
import { redisStores } from './redis-stores.js'

const processes = enough(4, { inFull: 8 })
const wrongGuesses = enough(1_000, { inFull: 20_000 })
const rightGuesses = enough(200, { inFull: 500 })

describe.skipIf(withoutRedis).each(Object.entries(redisStores))(
  `${processes} processes on %s`,
  (name, { start, clientNames }) => {
    let redis: { readonly redisPorts: readonly number[]; stop(): Promise<void> }
    let stub: ProviderStub
    let instances: readonly Instance[] = []
    beforeAll(async () => {
      stub = await startProviderStub()
      redis = await start()
      const setting = (clientName: Setting['clientName']): Setting => ({
        provider: stub.baseUrl,
        clientName,
        redisPorts: redis.redisPorts,
        // Answers that do not come because the machine is busy would hold the attacker back, too.
        storeTimeoutMs: 5_000,
      })
      instances = await Promise.all(
        Array.from({ length: processes }, (_, i) => startInstance(setting(clientNames[i % 2 === 0 ? 0 : 1]))),
      )
    })
    afterAll(async () => {
      await Promise.all(instances.map((instance) => instance.end()))
      await redis?.stop()
      await stub?.close()
    })

    /** Guesses at every process, all at once. */
    async function attack(codes: readonly string[], tokens: readonly string[]) {
      const [first] = instances
      await first?.ask('POST', '/two-factor/start', tokens[0] ?? '')
      const answerAtOnce = stub.answerCheck
      stub.answerCheck = async (request) => {
        await sleep(50)
        return answerAtOnce(request)
      }
      const [checksBefore, start] = [stub.checks.length, performance.now()]
      const statuses = await guess(instances, tokens, codes)
      stub.answerCheck = answerAtOnce
      const checks = stub.checks.length - checksBefore
      const seconds = (performance.now() - start) / 1_000
      console.log(
        `${codes.length} guesses, ${processes} processes, ${name}: ${checks} checks, ${seconds.toFixed(1)} s, answers ${JSON.stringify(statuses)}`,
      )
      return { checks, statuses }
    }

    it(`let at most 5 of ${wrongGuesses} wrong guesses reach the provider`, async () => {
      const codes = Array.from({ length: wrongGuesses }, (_, i) => String(500_000 + i))
      const { checks, statuses } = await attack(codes, ['1001.laptop'])
      expect(checks).toBeLessThanOrEqual(5)
      figure(1, `${checks} checks for ${wrongGuesses} wrong codes, ${processes} processes, ${name}`)
      expect(statuses).toEqual({ 422: checks, 409: expect.any(Number), 429: expect.any(Number) })
      expect(Object.values(statuses).reduce((sum, count) => sum + count, 0)).toBe(wrongGuesses)
    })

    it(`accept exactly one of ${rightGuesses} correct codes`, async () => {
      const others = Array.from({ length: 50 }, (_, i) => `1002.other-${i}`)
      const tokens = ['1002.laptop', ...others.flatMap((other) => ['1002.laptop', other])]
      const rightCode = String(482_913 + stub.sends.length)
      const codes = Array.from({ length: rightGuesses }, () => rightCode)
      const { statuses } = await attack(codes, tokens)
      expect(statuses['200']).toBe(1)
      figure(2, `1 success for ${rightGuesses} right codes, ${processes} processes, ${name}`)
      const admitted = async (token: string) =>
        Promise.all(instances.map(async ({ ask }) => (await ask('GET', '/account', token)).status))
      expect(await admitted('1002.laptop')).toEqual(Array.from({ length: processes }, () => 200))
      expect(await admitted('1002.other-1')).toEqual(Array.from({ length: processes }, () => 401))
    })
  },
)
