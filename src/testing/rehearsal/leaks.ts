import { channel } from 'node:diagnostics_channel'
import type { Sandbox } from '../../sandbox/index.js'
import { type Attempted, NotTried, type Stage, told } from './stage.js'
import type { RehearsalResponse } from './wire.js'

/** Warnings that name a mistake of wiring. Others follow from the attacks, or are about production. */
const wiring = new Set([
  'TWO_FACTOR_TRUST_PROXY_ALL',
  'TWO_FACTOR_COOKIE_NOT_SECURE',
  'TWO_FACTOR_COOKIE_NEVER_SENT',
  'TWO_FACTOR_RESPONSE_SENT',
  'TWO_FACTOR_MADE_PER_REQUEST',
  'TWO_FACTOR_SEVERAL_WORKERS',
  'TWO_FACTOR_PATH_DIFFERS',
  'TWO_FACTOR_DESCRIBED_DIFFERENTLY',
  'TWO_FACTOR_ROWS_NOT_BOUND',
])

const allOf = ({ headers, text }: RehearsalResponse) => JSON.stringify(headers) + text

/** Listens to what the app says while it is attacked. */
export type Ear = ReturnType<typeof createEar>

export function createEar({ credentials }: Pick<Sandbox, 'credentials'>) {
  const events = channel('express-two-factor:event')
  const codes = new Set<string>()
  const warnings = new Set<string>()
  const eventTexts: string[] = []
  let responses = 0
  let leaking: RehearsalResponse | undefined

  /** A time in milliseconds is no code, whatever its digits are. */
  const secretIn = (text: string): string | undefined => {
    if (text.includes(credentials.key)) return 'the key of the account'
    const words = text.replaceAll(/"\w+Ms":\d+/g, '').match(/(?<![\w.-])\w{4,10}(?![\w.-])/g) ?? []
    return words.some((word) => codes.has(word)) ? 'a code' : undefined
  }
  const onEvent = (event: unknown) => void eventTexts.push(JSON.stringify(event))
  const onWarning = (warning: Error & { readonly code?: string }) => void warnings.add(warning.code ?? '')
  events.subscribe(onEvent)
  process.on('warning', onWarning)

  return {
    note: (code: string) => void codes.add(code),
    /** How many codes have arrived. */
    codes: () => codes.size,
    hear(response: RehearsalResponse): void {
      responses += 1
      if (leaking === undefined && secretIn(allOf(response)) !== undefined) leaking = response
    },
    async secrets(stage: Stage): Promise<Attempted> {
      const logs = await stage.options.logs?.()
      const lines = (logs ?? '').split('\n').filter(Boolean)
      const tried = `${codes.size} codes and the key in ${responses} responses, ${eventTexts.length} events, ${lines.length} lines of log`
      if (leaking !== undefined) {
        return {
          tried,
          seen: `${secretIn(allOf(leaking))}: ${told(leaking)}`,
          fell: true,
          request: leaking.request,
        }
      }
      const event = eventTexts.find((text) => secretIn(text) !== undefined)
      if (event !== undefined) return { tried, seen: `${secretIn(event)} in an event`, fell: true }
      const line = lines.findIndex((text) => secretIn(text) !== undefined)
      if (line >= 0)
        return { tried, seen: `${secretIn(lines[line] ?? '')} in line ${line + 1} of the log`, fell: true }
      return { tried, seen: 'none', fell: false }
    },
    async warnings(stage: Stage): Promise<Attempted> {
      const logged = (await stage.options.logs?.())?.match(/TWO_FACTOR_[A-Z_]+/g) ?? []
      const all = [...new Set([...warnings, ...logged])].filter((code) => wiring.has(code))
      const { app, logs } = stage.options
      const isElsewhere = typeof app === 'string' || app instanceof URL
      if (isElsewhere && logs === undefined && all.length === 0) {
        throw new NotTried('the app runs in another process, and no `logs` were given')
      }
      return {
        tried: 'what the package itself warned of',
        seen: all.length === 0 ? 'nothing about the wiring' : all.join(', '),
        fell: all.length > 0,
      }
    },
    close(): void {
      events.unsubscribe(onEvent)
      process.off('warning', onWarning)
    },
  }
}

export async function coverage({ options }: Stage): Promise<Attempted> {
  if (options.coverage === undefined) throw new NotTried('no `coverage` was given')
  const tried = 'routes that changed something without a guard, in all of this traffic'
  try {
    options.coverage.report({ ignore: options.ignore ?? [] })
  } catch (error) {
    const seen = error instanceof Error ? error.message.replaceAll(/\s+/g, ' ') : String(error)
    return { tried, seen, fell: true }
  }
  return { tried, seen: 'none', fell: false }
}
