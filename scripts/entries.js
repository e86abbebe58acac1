import { readFileSync } from 'node:fs'

const manifest = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))
const published = Object.values(manifest.exports).filter((entry) => entry.default !== undefined)
// npm wants the file of a command without "./", and Node that of an entry with it.
const nameOf = (file, ending) => file.replace(/^(\.\/)?dist\//, '').slice(0, -ending.length)

/** What can be imported or run, as `package.json` says: names of modules below `src`, such as `store/redis-store`. */
export const entries = {
  code: [
    ...published.map((entry) => nameOf(entry.default, '.js')),
    ...Object.values(manifest.bin).map((file) => nameOf(file, '.js')),
  ],
  types: published.map((entry) => nameOf(entry.types, '.d.ts')),
}
