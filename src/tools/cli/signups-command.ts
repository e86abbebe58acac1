import type { SignupsReport } from '../../challenge/operator/inspection.js'
import { dayMs, hourMs, minuteMs, secondMs } from '../../lib/time.js'
import { printJson, readCommandLine } from './command-line.js'
import { span } from './person-report.js'
import { exitCodes, storeFlags, withInspection } from './store-connection.js'
import { UsageError } from './usage-error.js'

const flags = {
  ...storeFlags,
  pause: { takes: '<time>', help: 'how long sign-ups get no code, such as 30m, 2h or 1d' },
  resume: { help: 'end the pause' },
  state: { help: 'show whether sign-ups are paused, and the codes of this hour and day' },
} as const

const usage = {
  name: 'signups',
  about: `Pauses the codes of phone verifications in all processes of the app, so that you can investigate SMS pumping.
Users read when to try again; codes on their way still work; sign-ins continue. It needs no app and no deploy.`,
  flags,
  notes: `Each process reports the pause at its next sign-up: by the event limit.closed { limit: 'pause' }, and in tf.health().limits.

${exitCodes}`,
}

/** Pauses the sign-ups of an app. */
export async function signupsCommand(args: readonly string[]): Promise<number> {
  const values = await readCommandLine(usage, args)
  if (values === undefined) return 0
  const { pause, resume, state, json } = values
  if ([pause, resume, state].filter((one) => one !== undefined).length !== 1) {
    throw new UsageError('Pass one of --pause <time>, --resume and --state.')
  }
  const forMs = pause === undefined ? undefined : lengthOf(pause)
  return withInspection(values, async ({ inspection: { signups }, namespace, change }) => {
    if (forMs !== undefined) await change('paused', () => signups.pause(forMs))
    if (resume) await change('resumed', signups.resume)
    const seen = await signups.state()
    if (json) printJson({ namespace, ...seen })
    else process.stdout.write(textOf(seen))
    return 0
  })
}

const units = { s: secondMs, m: minuteMs, min: minuteMs, h: hourMs, d: dayMs } as const
/** A longer pause means that the feature is off. */
const longestMs = 30 * dayMs

function lengthOf(text: string): number {
  const [, count, unit] = /^(\d{1,4}) ?(s|m|min|h|d)$/.exec(text) ?? []
  const ms = Number(count) * units[unit as keyof typeof units]
  if (ms >= secondMs && ms <= longestMs) return ms
  throw new UsageError('pause must be a time of at most 30 days, such as 30m, 2h or 1d.')
}

function textOf({ pausedForMs, windows }: SignupsReport): string {
  const until = new Date(Date.now() + pausedForMs).toISOString().slice(0, 16).replace('T', ' ')
  const state =
    pausedForMs === 0
      ? 'Sign-ups are not paused.'
      : `Sign-ups are paused for ${span(pausedForMs)}, until ${until} UTC. --resume ends the pause.`
  const counts = windows.map(
    ({ window, sent, approved }) => `  This ${window.padEnd(4)} ${sent} sent, ${approved} verified`,
  )
  return `${[state, ...counts].join('\n')}\n`
}
