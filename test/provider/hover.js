// Asks the compiler's language server, as editors do, what it shows for every parameter and every member of a
// result: a docstring each. By hand: npm run hover
import { spawn } from 'node:child_process'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { camelCase, entriesOf } from '../../build/modules/provider/answer-schemas.js'
import { operations } from '../../build/modules/provider/operations.js'

const root = fileURLToPath(new URL('../..', import.meta.url))
// It need not exist.
const uri = pathToFileURL(`${root}test/provider/hovered.ts`).href
const head = [
  "import type { AudioCallParams, OperationName, ParamsOf, ResultOf, SpokenCallParams } from '../../src/provider/index.js'",
  'declare const spoken: SpokenCallParams, audio: AudioCallParams',
  'declare const params: { readonly [Name in OperationName]: ParamsOf<Name> }',
  'declare const results: { readonly [Name in OperationName]: ResultOf<Name> }',
]
const expressions = [...new Set(members())]
const shown = await hovers([...head, ...expressions])
const bare = expressions.filter((_expression, at) => !/```\n\S/.test(shown[head.length + at]))
console.log(`${expressions.length} members, ${bare.length} of them without a docstring`)
for (const expression of bare) console.log(`  ${expression}`)
if (bare.length > 0) process.exitCode = 1

/** Expressions that name each parameter and each member of a result. */
function* members() {
  for (const [name, { params, fields }] of Object.entries(operations)) {
    if (name === 'verifyCode') yield 'results.verifyCode.status'
    for (const parameter of Object.keys(params()).map(camelCase)) {
      // Of a member that both ways to call have, an editor shows neither docstring.
      const way = name !== 'sendCall' ? `params.${name}` : parameter === 'audioCode' ? 'audio' : 'spoken'
      yield `${way}.${parameter}`
    }
    const result = name === 'messageState' ? 'results.messageState[0]?' : `results.${name}`
    yield `results.${name}.raw`
    for (const [field, schema] of Object.entries(name === 'balance' ? { credits: 0 } : fields())) {
      yield `${result}.${camelCase(field)}`
      for (const member of Object.keys(entriesOf(schema) ?? {})) yield `${result}.${field}[0]?.${member}`
    }
  }
}

/** What an editor shows at the end of each line of a program. */
async function hovers(lines) {
  const server = spawn('npx', ['tsc', '--lsp', '--stdio'], { cwd: root, stdio: ['pipe', 'pipe', 'ignore'] })
  function write(message) {
    const text = JSON.stringify({ jsonrpc: '2.0', ...message })
    server.stdin.write(`Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`)
  }
  const textDocument = { uri, languageId: 'typescript', version: 1, text: lines.join('\n') }
  const capabilities = { textDocument: { hover: { contentFormat: ['markdown'] } } }
  write({
    id: 'begin',
    method: 'initialize',
    params: { processId: process.pid, rootUri: null, capabilities },
  })

  const found = new Map()
  for await (const { id, method, result } of messagesOf(server.stdout)) {
    // Questions of the server, about settings: it has none.
    if (method !== undefined) {
      if (id !== undefined) write({ id, result: null })
    } else if (id === 'begin') {
      write({ method: 'initialized', params: {} })
      write({ method: 'textDocument/didOpen', params: { textDocument } })
      for (const [line, { length }] of lines.entries()) {
        const position = { line, character: length - 1 }
        write({ id: line, method: 'textDocument/hover', params: { textDocument: { uri }, position } })
      }
    } else found.set(id, String(result?.contents?.value ?? ''))
    if (found.size === lines.length) break
  }
  server.kill()
  return lines.map((_line, at) => found.get(at) ?? '')
}

async function* messagesOf(stream) {
  let unread = Buffer.alloc(0)
  for await (const chunk of stream) {
    unread = Buffer.concat([unread, chunk])
    for (;;) {
      const start = unread.indexOf('\r\n\r\n') + 4
      const end = start + Number(/Content-Length: (\d+)/.exec(unread.subarray(0, start).toString())?.[1])
      if (start < 4 || !(unread.length >= end)) break
      yield JSON.parse(unread.subarray(start, end).toString())
      unread = unread.subarray(end)
    }
  }
}
