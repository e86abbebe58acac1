import { spawnSync } from 'node:child_process'
import request from 'supertest'
import { expect, test } from 'vitest'
import manifest from '../../package.json' with { type: 'json' }
import { run } from '../cli/program.js'
import { read } from '../documents.js'

const containerfile = read('examples/sandbox-container/Containerfile')
const compose = read('examples/sandbox-container/compose.yaml')

/** The words of an instruction in exec form. */
function wordsOf(pattern: RegExp, text = containerfile): string[] {
  return JSON.parse(pattern.exec(text)?.[1] ?? 'null')
}

// No container is built here: the same words start the same program.
test('the sandbox of the container serves its neighbours, is healthy, and ends when it is stopped', async () => {
  const [program, ...args] = wordsOf(/^ENTRYPOINT (.*)$/m)
  const command = wordsOf(/^ {2}sandbox:\n(?: {4}.*\n)*? {4}command: (.*)$/m, compose)
  const [node, ...check] = wordsOf(/^HEALTHCHECK .*?CMD (.*)$/m)
  expect(program).toBe(`node_modules/.bin/${Object.keys(manifest.bin)[0]}`)
  expect(node).toBe('node')

  const sandbox = run([...args, ...command, '--port', '0', '--json'])
  const { baseUrl } = JSON.parse(await sandbox.line())
  const { port } = new URL(baseUrl)
  const isHealthy = () =>
    spawnSync(
      process.execPath,
      check.map((word) => word.replace('localhost:4010', `localhost:${port}`)),
    ).status === 0

  const neighbour = request(`http://127.0.0.2:${port}`)
  await neighbour.get('/').set('Host', `sandbox:${port}`).expect(200)
  await neighbour.get('/').set('Host', `rebound.example:${port}`).expect(421)
  expect(isHealthy()).toBe(true)
  sandbox.interrupt('SIGTERM')
  expect(await sandbox.exitCode).toBe(0)
  expect(isHealthy()).toBe(false)
})

test('the compose file publishes on loopback only, at the port that the app is told', () => {
  expect(containerfile).toMatch(/^EXPOSE 4010$/m)
  expect(compose).toContain('ports: ["127.0.0.1:4010:4010"]')
  expect(compose).toContain('TWO_FACTOR_BASE_URL: http://sandbox:4010/v1')
})
