import { spawn } from 'node:child_process'
import { fileURLToPath, pathToFileURL } from 'node:url'

const root = fileURLToPath(new URL('../..', import.meta.url))

interface Reply {
  readonly id?: number
  readonly method?: string
  readonly result?: unknown
}

/** The compiler's language server, which editors ask. */
export async function startLanguageServer() {
  const server = spawn('npx', ['tsc', '--lsp', '--stdio'], {
    cwd: root,
    stdio: ['pipe', 'pipe', 'ignore'],
  })
  const waiting = new Map<number, (result: unknown) => void>()
  let unread = Buffer.alloc(0)
  let asked = 0

  function write(message: object): void {
    const text = JSON.stringify({ jsonrpc: '2.0', ...message })
    server.stdin.write(`Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`)
  }
  function ask(method: string, params: object): Promise<unknown> {
    asked += 1
    const id = asked
    write({ id, method, params })
    return new Promise((resolve) => waiting.set(id, resolve))
  }
  server.stdout.on('data', (chunk: Buffer) => {
    unread = Buffer.concat([unread, chunk])
    for (;;) {
      const head = unread.indexOf('\r\n\r\n')
      const length = Number(
        /Content-Length: (\d+)/.exec(unread.subarray(0, Math.max(head, 0)).toString())?.[1],
      )
      if (head < 0 || unread.length < head + 4 + length) return
      const {
        id = 0,
        method,
        result,
      }: Reply = JSON.parse(unread.subarray(head + 4, head + 4 + length).toString())
      unread = unread.subarray(head + 4 + length)
      // Questions of the server, about settings: it has none.
      if (method !== undefined) write({ id, result: null })
      else waiting.get(id)?.(result)
    }
  })
  await ask('initialize', {
    processId: process.pid,
    rootUri: pathToFileURL(root).href,
    capabilities: { textDocument: { hover: { contentFormat: ['markdown'] } } },
  })
  write({ method: 'initialized', params: {} })

  return {
    /** What an editor shows at the end of each line of a file that need not exist. */
    async hovers(path: string, lines: readonly string[]): Promise<readonly string[]> {
      const uri = pathToFileURL(`${root}${path}`).href
      const text = lines.join('\n')
      write({
        method: 'textDocument/didOpen',
        params: { textDocument: { uri, languageId: 'typescript', version: 1, text } },
      })
      const results = lines.map((line, index) =>
        ask('textDocument/hover', {
          textDocument: { uri },
          position: { line: index, character: line.length - 1 },
        }),
      )
      return (await Promise.all(results)).map((result) => String(Object(Object(result).contents).value ?? ''))
    },
    close: () => server.kill(),
  }
}
