import { createInterface } from 'node:readline'
import { Writable } from 'node:stream'
import { UsageError } from './usage-error.js'

export type Terminal = ReturnType<typeof openTerminal>

interface Manner {
  readonly hidden?: boolean | undefined
  /** What an empty line means. */
  readonly byDefault?: string | undefined
}

/**
 * The person in front of the program, or the pipe in their place. Asks on the standard error, so that the standard
 * output holds results alone.
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
    // An arrow key would bring a hidden line back.
    historySize: 0,
  })
  // Taken from the start: a pipe may write its lines before they are asked for.
  const answers = lines[Symbol.asyncIterator]()
  lines.on('SIGINT', () => {
    lines.close()
    stderr.write('\n')
    // In raw mode Ctrl-C is a key. The shell must see the same end as without it.
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
    if (done) throw new UsageError(`The input ended, and this was still to be answered: ${question}.`)
    return value.trim()
  }

  return {
    /** Whether somebody can be asked. In a pipe nothing is. */
    interactive,
    /** What is typed, or the next line of the pipe. Asks again until it has an answer, unless there is a default. */
    async ask(question: string, { hidden: isHidden = false, byDefault }: Manner = {}): Promise<string> {
      const asked = byDefault === undefined ? question : `${question} [${byDefault}]`
      for (;;) {
        const answer = await line(asked, isHidden)
        if (answer !== '') return answer
        if (byDefault !== undefined) return byDefault
      }
    },
    say: (text: string) => void stderr.write(`${text}\n`),
    /** Says what must not be overlooked. */
    warn: (text: string) => void stderr.write(`${coloured('red', text, stderr)}\n`),
    close: () => lines.close(),
  }
}

const colours = { red: 31, green: 32, gray: 90 } as const

/** Colour for a terminal that shows it: a pipe gets none, nor does anybody who set NO_COLOR. */
export function coloured(colour: keyof typeof colours, text: string, stream: NodeJS.WriteStream): string {
  if (!stream.isTTY || !stream.hasColors()) return text
  return `\u001b[${colours[colour]}m${text}\u001b[39m`
}
