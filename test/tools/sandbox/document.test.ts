import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { startSandbox } from '../../../src/tools/sandbox/index.js'
import { blocksOf, read } from '../../documents.js'

const text = read('docs/sandbox.md')

/** The commands of a console block, each with the answer printed below it. */
function sessionOf(block: string): { command: string; answer: string }[] {
  return block
    .split(/^\$ /m)
    .slice(1)
    .map((step) => {
      const [command = '', ...answer] = step.trimEnd().split('\n')
      return { command, answer: answer.join('\n') }
    })
}

/** What differs from run to run, made the same. */
function steady(text: string): string {
  return text
    .replace(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f-]{22}/g, '<id>')
    .replace(/"created":"[\d :-]{19}"/g, '"created":"<time>"')
    .replace(/"(at|codeExpiresAt)":\d{13}/g, '"$1":<time>')
    .replace(/code is (\d, ){5}\d\. Again: (\d, ){5}\d\./g, 'code is <spelled>')
    .replace(/"code":"\d{6}"/g, '"code":"<code>"')
}

describe('the document on the sandbox', () => {
  test('prints what its curl commands are answered', async () => {
    await using sandbox = await startSandbox({ now: () => Date.UTC(2025, 2, 14) })
    const origin = new URL(sandbox.inboxUrl).origin
    const steps = blocksOf(text, 'console')
      .flatMap(sessionOf)
      .filter(({ command }) => !command.startsWith('npx'))
    // One shell for all, because later commands use what earlier ones kept.
    const script = steps.map(({ command }) => `${command}\necho; echo '<next>'`).join('\n')
    const { stdout } = await promisify(execFile)('bash', [
      '-c',
      script.replaceAll('http://127.0.0.1:4010', origin),
    ])
    const answers = stdout.replaceAll(origin, 'http://127.0.0.1:4010').split('\n<next>\n')
    for (const [index, { command, answer }] of steps.entries()) {
      expect(steady(answers[index] ?? ''), command).toBe(steady(answer))
    }
  })

  test('shows the example that is run here', () => {
    const example = read('test/tools/sandbox/example.test.ts')
      .replace("'../../../src/index.js'", "'express-two-factor'")
      .replace("'../../../src/tools/sandbox/index.js'", "'express-two-factor/sandbox'")
    // Sorted by line, because the imports stand in another order where their paths differ.
    const sorted = (code: string) => [...code.split('\n')].sort()
    expect(blocksOf(text, 'ts').map(sorted)).toContainEqual(sorted(example))
  })
})
