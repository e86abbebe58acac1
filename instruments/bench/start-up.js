// Bar 8: what it costs to start.
import { cpuMicros } from './cpu.js'
import { figure } from './sides.js'

const compared = (what, atMost, stretch, ours, theirs) => ({
  bar: 8,
  what,
  atMost,
  stretch,
  ours: () => figure(import.meta.url, ours),
  theirs: () => figure(import.meta.url, theirs),
})

export const bars = [
  compared(
    'import on top of Express / undici, zod and lru-cache, CPU',
    0.6,
    0.1,
    'packageOnExpress',
    'partsOnExpress',
  ),
  compared(
    './client ready to send / import of undici and zod, CPU',
    1.05,
    undefined,
    'clientAlone',
    'undiciAndZod',
  ),
]

export async function packageOnExpress() {
  await import('express')
  return cpuOfImport(() => import('express-two-factor'))
}

export async function partsOnExpress() {
  await import('express')
  return cpuOfImport(async () => {
    await import('undici')
    await import('zod')
    await import('lru-cache')
  })
}

export function clientAlone() {
  return cpuOfImport(async () => {
    const { createClient } = await import('express-two-factor/client')
    const client = createClient({ baseUrl: 'http://127.0.0.1:9', client: 41, key: 'k' })
    // Opens the pool, which is made in the background, before it can close it.
    await client.close()
  })
}

export function undiciAndZod() {
  return cpuOfImport(async () => {
    await import('undici')
    await import('zod')
  })
}

async function cpuOfImport(load) {
  const before = cpuMicros()
  await load()
  return cpuMicros() - before
}
