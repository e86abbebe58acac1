import { afterAll, beforeAll, expect, test } from 'vitest'
import { camelCase, entriesOf } from '../../src/provider/answer-schemas.js'
import { type Operation, operations } from '../../src/provider/operations.js'
import { startLanguageServer } from './language-server.js'

let server: Awaited<ReturnType<typeof startLanguageServer>>
beforeAll(async () => {
  server = await startLanguageServer()
}, 60_000)
afterAll(() => server.close())

/** Expressions that name each parameter and each member of a result. */
function* members(): Generator<string> {
  for (const [name, { params, fields }] of Object.entries<Operation>(operations)) {
    if (name === 'verifyCode') yield 'results.verifyCode.status'
    for (const parameter of Object.keys(params()).map(camelCase)) {
      // Of a member that both ways to call have, an editor shows neither docstring.
      const way = name !== 'sendCall' ? `params.${name}` : parameter === 'audioCode' ? 'audio' : 'spoken'
      yield `${way}.${parameter}`
    }
    const result = name === 'messageState' ? 'results.messageState[0]?' : `results.${name}`
    yield name === 'messageState' ? 'results.messageState.raw' : `${result}.raw`
    for (const [field, schema] of Object.entries(name === 'balance' ? { credits: 0 } : fields())) {
      yield `${result}.${camelCase(field)}`
      for (const member of Object.keys(entriesOf(schema) ?? {})) yield `${result}.${field}[0]?.${member}`
    }
  }
}

test('an editor shows a docstring for every parameter and every member of a result', async () => {
  const expressions = [...new Set(members())]
  const head = [
    "import type { AudioCallParams, OperationName, ParamsOf, ResultOf, SpokenCallParams } from '../../src/provider/index.js'",
    'declare const spoken: SpokenCallParams, audio: AudioCallParams',
    'declare const params: { readonly [Name in OperationName]: ParamsOf<Name> }',
    'declare const results: { readonly [Name in OperationName]: ResultOf<Name> }',
  ]
  const shown = (await server.hovers('test/provider/hovered.ts', [...head, ...expressions])).slice(
    head.length,
  )
  expect(expressions.length).toBeGreaterThan(80)
  const bare = expressions.filter((_expression, at) => !/```\n\S/.test(shown[at] ?? ''))
  expect(bare).toEqual([])
}, 60_000)
