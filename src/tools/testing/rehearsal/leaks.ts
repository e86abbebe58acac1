import { saidBy } from './ear.js'
import type { Attack } from './stage.js'
import { Fell, fell, NotTried, told } from './verdicts.js'

/** Warnings about wiring mistakes. Other warnings follow from the attacks, or concern production. */
const wiring = [
  'TRUST_PROXY_ALL',
  'COOKIE_NOT_SECURE',
  'COOKIE_SAME_SITE',
  'COOKIE_NEVER_SENT',
  'MADE_PER_REQUEST',
  'SEVERAL_WORKERS',
  'ROWS_NOT_BOUND',
].map((name) => `TWO_FACTOR_${name}`)

const masked = 'show at most the last two digits of a number until its person has entered a code'

/** Rows that need all traffic, and so run at the end. */
export const judgements: readonly Attack[] = [
  {
    code: 'secrets',
    claim:
      'no response, event or log line contains a code or the key, and no number is shown to a browser before its code',
    fix: 'send no code to a browser, and log neither bodies nor options',
    docs: 'docs/operation.md#alarms',
    async run({ ear, options, paths }, tries) {
      const { secretIn, codes, numbers, eventTexts, heard, early } = ear
      const lines = ((await options.logs?.()) ?? '').split('\n').filter(Boolean)
      tries(
        `${codes.size} codes, the key and ${numbers.size} numbers in ${heard.length} responses, ${eventTexts.length} events, ${lines.length} lines of log`,
      )
      for (const response of heard) {
        const secret = secretIn(saidBy(response))
        if (secret !== undefined) fell(response, `${secret}: ${told(response)}`)
      }
      for (const [place, texts] of Object.entries({ event: eventTexts, 'line of the log': lines })) {
        for (const [index, text] of texts.entries()) {
          const secret = secretIn(text)
          if (secret !== undefined) throw new Fell(`${secret} in ${place} ${index + 1}`)
        }
      }
      // The home page may list numbers for everyone.
      const shown = early.find(({ request }) => request.path !== '/' || paths.includes('/'))
      if (shown !== undefined)
        throw new Fell(`${told(shown)} and showed a number`, shown.request, undefined, masked)
      return 'none'
    },
  },
  {
    code: 'warnings',
    claim: 'the package gave no warning about the setup',
    fix: 'follow the warning',
    docs: 'docs/operation.md#warnings',
    async run({ ear, options: { app, logs } }, tries) {
      const logged = (await logs?.())?.match(/TWO_FACTOR_[A-Z_]+/g) ?? []
      const all = [...new Set([...ear.warnings, ...logged])].filter((code) => wiring.includes(code))
      tries('the warnings of the package')
      if (all.length > 0) throw new Fell(all.join(', '))
      if ((typeof app === 'string' || app instanceof URL) && logs === undefined) {
        throw new NotTried('the app runs in another process, and the plan has no `logs`', { lacks: 'logs' })
      }
      return 'no warning about the setup'
    },
  },
]
