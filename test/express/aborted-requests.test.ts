import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, it } from 'vitest'
import { enough } from '../in-full.js'
import { figure } from '../prove/figure.js'
import { open, startHanging } from './hanging-host.js'

setFlagsFromString('--expose-gc')
const collect: () => void = runInNewContext('gc')

const atOnce = 16
const many = enough(1_008, { inFull: 10_000 })

it('aborted requests whose `phone` hangs leave nothing', async () => {
  const { host, asked, left } = await startHanging()
  const ana = await host.login()
  for (let gone = 0; gone < many; gone += atOnce) {
    const waiting = Array.from({ length: atOnce }, () => open(host, ana))
    await expect.poll(() => asked.length, { interval: 1 }).toBe(gone + atOnce)
    for (const sent of waiting) sent.destroy()
    await expect.poll(left, { interval: 1 }).toBe(gone + atOnce)
  }
  await new Promise((resolve) => setImmediate(resolve))
  collect()
  const kept = asked.filter((one) => one.deref() !== undefined).length
  figure(26, `${kept} of ${many} aborted requests stayed in memory`)
  console.info(`${kept} of ${asked.length} aborted requests were still in memory`)
  expect(kept).toBeLessThanOrEqual(atOnce)
})
