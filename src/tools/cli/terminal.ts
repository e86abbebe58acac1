import { createInterface } from 'node:readline'
import { Writable } from 'node:stream'
import { UsageError } from './usage-error.js'

export type Terminal = ReturnType<typeof openTerminal>

interface Manner {
  readonly hidden?: boolean | undefined
  /** Meaning of an empty line. */
  readonly byDefault?: string | undefined
}

/**
 * Opens the terminal, or the pipe in its place. Questions go to standard error, so that standard output contains only
 * results.
 */
export function openTerminal() {
  const { stdin, stderr } = process
  const interactive = stdin.isTTY === true
  let hidden = false
  const echo = new Writable({
    write(chunk, _encoding, done) {
      if (!hidden) stderr.write(chunk)
      done()
    },
  })
  const lines = createInterface({
    input: stdin,
    ...(interactive && { output: echo }),
    terminal: interactive,
    // Prevents an arrow key from recalling a hidden line.
    historySize: 0,
  })
  // Created first: a pipe may write its lines before the questions.
  const answers = lines[Symbol.asyncIterator]()
  lines.on('SIGINT', () => {
    lines.close()
    stderr.write('\n')
    // In raw mode Ctrl-C is a key. The shell must see the usual signal.
    process.kill(process.pid, 'SIGINT')
  })

  async function line(question: string, isHidden: boolean): Promise<string> {
    if (interactive) {
      lines.setPrompt(`${question}: `)
      lines.prompt()
      hidden = isHidden
    }
    const { value, done } = await answers.next()
    if (hidden) stderr.write('\n')
    hidden = false
    if (done) throw new UsageError(`The input ended before the answer to: ${question}.`)
    return value.trim()
  }

  return {
    /** True if a person can answer. In a pipe, false. */
    interactive,
    /**
     * Returns the typed line, or the next line of the pipe. Repeats the question until it has an answer or a default.
     */
    async ask(question: string, { hidden: isHidden = false, byDefault }: Manner = {}): Promise<string> {
      const asked = byDefault === undefined ? question : `${question} [${byDefault}]`
      for (;;) {
        const answer = await line(asked, isHidden)
        if (answer !== '') return answer
        if (byDefault !== undefined) return byDefault
      }
    },
    say: (text: string) => void stderr.write(`${text}\n`),
    /** Prints a warning in red. */
    warn: (text: string) => void stderr.write(`${coloured('red', text, stderr)}\n`),
    close: () => lines.close(),
  }
}

const colours = { red: 31, green: 32, gray: 90 } as const

/** Colours a text for a terminal that supports it; not in a pipe, and not with NO_COLOR. */
export function coloured(colour: keyof typeof colours, text: string, stream: NodeJS.WriteStream): string {
  if (!stream.isTTY || !stream.hasColors()) return text
  return `\u001b[${colours[colour]}m${text}\u001b[39m`
}
