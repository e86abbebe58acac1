// The text of what browsers are served, as the module `served:` and its name: scripts bundled and minified, the rest as
// it is. A server that was bundled into one file, or traced by a platform, has no folder to look for them in.
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { rolldown } from 'rolldown'

const prefix = 'served:'
const browser = fileURLToPath(new URL('../src/browser/', import.meta.url))

/** The scripts among them: from which module, and in which form. */
const scripts = {
  'dialog.js': ['index.ts', 'es'],
  'page.js': ['page.ts', 'iife'],
  'inbox.js': ['inbox.ts', 'iife'],
}

async function textOf(name) {
  if (!(name in scripts)) return readFileSync(`${browser}${name}`, 'utf8')
  const [file, format] = scripts[name]
  const bundle = await rolldown({ input: browser + file })
  const { output } = await bundle.generate({ format, minify: true })
  await bundle.close()
  return output[0].code
}

/** For rolldown and for Vite, so that tests of the source are served the same. */
export function servedFiles() {
  return {
    name: 'served files',
    // Without the ending of the file, by which others would take it for a style.
    resolveId: (id) => (id.startsWith(prefix) ? `\0${id}:text` : undefined),
    async load(id) {
      const [, name] = id.match(/^\0served:(.+):text$/) ?? []
      return name && `export const text = ${JSON.stringify(await textOf(name))}`
    },
    // Vitest keeps what it has compiled by the text of the module, which for these stands elsewhere.
    configureVitest: ({ experimental_defineCacheKeyGenerator: keyedBy }) =>
      keyedBy(({ id }) => (id.startsWith(`\0${prefix}`) ? false : undefined)),
  }
}
