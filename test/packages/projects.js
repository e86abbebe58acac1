// Projects outside the repository, in which the packed package is installed as its users install it.
import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pasteTypeScript } from './quick-start.js'

export const root = new URL('../..', import.meta.url).pathname
export const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
const { devDependencies, name } = manifest

/** The lines of Express, each with its types. */
export const expressLines = {
  4: {
    express: devDependencies.express4.replace('npm:express@', ''),
    '@types/express': devDependencies['@types/express4'].replace('npm:@types/express@', ''),
  },
  5: { express: devDependencies.express, '@types/express': devDependencies['@types/express'] },
}

/** The oldest TypeScript that is supported. */
export const oldestTypeScript = '~5.9.0'

export function run(command, args, cwd) {
  return execFileSync(command, args, { cwd, encoding: 'utf8' })
}

/** Packs the package as it would be published. */
export function pack(folder, ...flags) {
  return JSON.parse(run('npm', ['pack', '--json', '--pack-destination', folder, ...flags], root))[0]
}

const quietly = ['--ignore-scripts', '--prefer-offline', '--no-audit', '--no-fund', '--loglevel', 'error']

export const npmInstall = (folder, ...more) => run('npm', ['install', ...quietly, ...more], folder)

/** Makes a folder in which this is installed. */
export function install(folder, contents, ...flags) {
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true, ...contents }))
  npmInstall(folder, ...flags)
  return folder
}

/** A project in TypeScript with the package and one line of Express. */
export function installProject(folder, tarball, line, { dependencies, ...more }) {
  install(folder, {
    ...more,
    type: 'module',
    dependencies: {
      ...expressLines[line],
      'express-session': devDependencies['express-session'],
      '@types/express-session': devDependencies['@types/express-session'],
      '@types/node': devDependencies['@types/node'],
      [name]: `file:${tarball}`,
      ...dependencies,
    },
  })
  const compilerOptions = {
    module: 'nodenext',
    target: 'es2023',
    strict: true,
    // Declarations are checked, ours among them, but for those of the compiler itself.
    skipDefaultLibCheck: true,
    noEmit: true,
    esModuleInterop: true,
    types: ['node'],
  }
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*.*ts'] }))
  pasteTypeScript(folder)
  return folder
}

/** Loads every entry, with `require` and as a module. Returns a line for each: what it exports. */
export function loadEntries(folder) {
  const entries = Object.keys(manifest.exports).filter((entry) => !entry.endsWith('.json'))
  const specifiers = JSON.stringify(entries.map((entry) => join(name, entry)))
  run('node', ['--input-type=commonjs', '--eval', `${specifiers}.forEach((entry) => require(entry))`], folder)
  const tell = `for (const entry of ${specifiers}) console.log(entry, 'exports', ...Object.keys(await import(entry)))`
  return run('node', ['--input-type=module', '--eval', tell], folder).trim().split('\n')
}
