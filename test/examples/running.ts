import { fileURLToPath } from 'node:url'
import { expect, onTestFinished } from 'vitest'
import { freePort } from '../free-port.js'
import { observe } from '../tools/cli/program.js'

const built = (example: string) =>
  fileURLToPath(new URL(`../../build/examples/${example}.js`, import.meta.url))

/** An example that runs as a reader would run it: the built file, nothing configured but the port. It ends with its test. */
export interface Running {
  readonly origin: string
  /** Waits for the newest code to a number, as its inbox shows it. */
  codeFor(phone: string): Promise<string>
  readonly inboxUrl: string
  /** What it printed. */
  readonly said: string
  /** Ends it as Ctrl-C would. Answers its exit code, null when it did not end by itself. */
  stop(): Promise<number | null>
}

/** On which line of Express an example runs, and what it finds in its environment. */
export interface RunOptions {
  readonly express?: 4 | 5
  readonly env?: NodeJS.ProcessEnv
  readonly args?: readonly string[]
}

/** Also for the processes that an example starts. */
const onExpress4 = { NODE_OPTIONS: `--import ${new URL('on-express-4.js', import.meta.url)}` }

export async function run(
  example: string,
  { express = 5, env = {}, args = [] }: RunOptions = {},
): Promise<Running> {
  const own = { PORT: String(await freePort()), ...(express === 4 && onExpress4) }
  const child = observe(process.execPath, [built(example), ...args], { ...own, ...env })
  await child.saying(/127\.0\.0\.1:\d+.*\n/)
  const said = child.out()
  const origin = said.match(/http:\/\/localhost:\d+/)?.[0]
  const inboxUrl = said.match(/http:\/\/127\.0\.0\.1:\d+/)?.[0]
  if (origin === undefined || inboxUrl === undefined) throw new Error(`${example} said: ${said}`)
  const running: Running = {
    origin,
    inboxUrl,
    said,
    async codeFor(phone) {
      const answer = await fetch(
        `${inboxUrl}/_sandbox/messages/wait?phone=${encodeURIComponent(phone)}&timeoutMs=60000`,
      )
      const { code } = (await answer.json()) as { code: string }
      return code
    },
    stop() {
      child.interrupt()
      return child.exitCode
    },
  }
  onTestFinished(async () => {
    await running.stop()
    // Whoever starts from an example starts without a warning.
    expect(child.err()).not.toContain('[TWO_FACTOR_')
  })
  return running
}

/** Runs an example to its end. */
export async function runToEnd(
  example: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv = {},
): Promise<{ readonly code: number | null; readonly output: string }> {
  const child = observe(process.execPath, [built(example), ...args], env)
  const code = await child.exitCode
  return { code, output: child.out() + child.err() }
}
