import { spawnSync } from 'node:child_process'
import request from 'supertest'
import { expect, test } from 'vitest'
import manifest from '../../package.json' with { type: 'json' }
import { createClient } from '../../src/index.js'
import { read } from '../documents.js'
import { run } from '../tools/cli/program.js'

const containerfile = read('examples/sandbox-container/Containerfile')
const compose = read('examples/sandbox-container/compose.yaml')

/** The words of an instruction in exec form. */
function wordsOf(pattern: RegExp, text = containerfile): string[] {
  return JSON.parse(pattern.exec(text)?.[1] ?? 'null')
}

// No container is built here: the same words start the same program.
test('the sandbox of the container serves whom its port is published to, is healthy, and ends when it is stopped', async () => {
  const [program, ...args] = wordsOf(/^ENTRYPOINT (.*)$/m)
  const [node, ...check] = wordsOf(/^HEALTHCHECK .*?CMD (.*)$/m)
  expect(program).toBe(`node_modules/.bin/${Object.keys(manifest.bin)[0]}`)
  expect(node).toBe('node')

  const sandbox = run([...args, '--port', '0', '--json'])
  const { baseUrl } = JSON.parse(await sandbox.line())
  const { port } = new URL(baseUrl)
  const isHealthy = () =>
    spawnSync(
      process.execPath,
      check.map((word) => word.replace('localhost:4010', `localhost:${port}`)),
    ).status === 0

  const published = request(`http://127.0.0.2:${port}`)
  await published.get('/').set('Host', `localhost:${port}`).expect(200)
  await published.get('/').set('Host', `rebound.example:${port}`).expect(421)
  expect(isHealthy()).toBe(true)
  sandbox.interrupt('SIGTERM')
  expect(await sandbox.exitCode).toBe(0)
  expect(isHealthy()).toBe(false)
})

test('the compose file publishes on loopback only, and gives the app an address that its client accepts', async () => {
  expect(containerfile).toMatch(/^EXPOSE 4010$/m)
  expect(wordsOf(/^ {4}ports: (.*)$/m, compose)).toEqual(['127.0.0.1:4010:4010', '127.0.0.1:3000:3000'])
  expect(compose).toContain('network_mode: service:sandbox')
  const told = (name: string) => new RegExp(`^ {6}${name}: "?(.*?)"?$`, 'm').exec(compose)?.[1] ?? ''
  const baseUrl = told('TWO_FACTOR_BASE_URL')
  const account = { client: told('TWO_FACTOR_CLIENT'), key: told('TWO_FACTOR_KEY') }
  await createClient({ baseUrl, ...account }).close()
  expect(new URL(baseUrl).port).toBe('4010')
})
