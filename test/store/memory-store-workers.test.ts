import { spawn } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { compiled } from './compiled.js'

let build: Awaited<ReturnType<typeof compiled>>

beforeAll(async () => {
  build = await compiled()
  await writeFile(
    join(build.dir, 'workers.mjs'),
    `import cluster from 'node:cluster'
     import { memoryStore } from './store/memory-store.js'
     if (cluster.isPrimary) {
       memoryStore()
       for (const worker of [cluster.fork(), cluster.fork()]) worker.on('message', (said) => console.log(said))
     } else {
       let said = 'created'
       try { memoryStore() } catch (error) { said = error.name + ': ' + error.message }
       process.send(said, () => process.disconnect())
     }`,
  )
})

afterAll(() => build.remove())

async function workersSay(environment: string): Promise<string[]> {
  const child = spawn(process.execPath, [join(build.dir, 'workers.mjs')], {
    env: { ...process.env, NODE_ENV: environment },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  return (await text(child.stdout)).trim().split('\n')
}

test('several workers in production are refused, and told what to use', async () => {
  const refusal =
    'TypeError: memoryStore: cluster workers cannot share it, and each would allow its own guesses; use redisStore'
  expect(await workersSay('production')).toEqual([refusal, refusal])
})

test('several workers while developing are not', async () => {
  expect(await workersSay('development')).toEqual(['created', 'created'])
})
