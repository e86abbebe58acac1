import { transformSync } from 'esbuild'
import { read } from './documents.js'

/** The code blocks of a document that follow a mark, in their order and without types. */
export const samples = (document: string, mark: string) =>
  [...read(document).matchAll(new RegExp(`<!-- ${mark} -->\n\`\`\`[jt]s\n(.*?)\`\`\``, 'gs'))]
    .map(([, code = '']) => transformSync(code, { loader: 'ts', format: 'esm' }).code)
    .join('\n')

const AsyncFunction = (async () => undefined).constructor as FunctionConstructor

/** Runs code with what the reader's app contains. Returns the value of `result`. */
export const runSample = (code: string, given: Readonly<Record<string, unknown>>, result = 'undefined') =>
  new AsyncFunction(...Object.keys(given), `${code}\nreturn ${result}`)(...Object.values(given))
