// Bar 6: bytes per ledger with a sent challenge.
import { execFileSync } from 'node:child_process'
import { execPath } from 'node:process'
import { fileURLToPath } from 'node:url'
import { once } from './rounds.js'

const capacity = fileURLToPath(new URL('capacity-program.js', import.meta.url))

const bytesEach = (count) => ({
  bar: 6,
  what: `bytes per live ledger, ${count.toLocaleString('en')} of them`,
  atMost: 1_000,
  stretch: 700,
  unit: 'bytes',
  // Bytes do not depend on what else the machine does.
  rounds: once,
  ours() {
    const flags = ['--expose-gc', '--max-old-space-size=4096']
    const program = [capacity, String(count)]
    return JSON.parse(execFileSync(execPath, [...flags, ...program], { encoding: 'utf8' })).bytes
  },
})

export const bars = [bytesEach(100_000), bytesEach(1_000_000)]
