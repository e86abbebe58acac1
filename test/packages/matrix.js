// The packed package on every Node line it supports, with both lines of Express, the lowest and the newest
// undici 7, and the oldest and the newest TypeScript. `npm run matrix`; `npm run matrix -- 24` for one line of Node.
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { argv, env, exit } from 'node:process'
import { pasteTypeScript } from './quick-start.js'

const root = new URL('../..', import.meta.url).pathname
const { devDependencies, dependencies, engines, name } = JSON.parse(
  readFileSync(join(root, 'package.json'), 'utf8'),
)

/** The lowest of each line in `engines`, and the newest. */
const nodes = [...engines.node.matchAll(/(\d+)\.\d+\.\d+/g)].flat()
nodes.push('24')

const expressLines = {
  4: {
    express: devDependencies.express4.replace('npm:express@', ''),
    '@types/express': devDependencies['@types/express4'].replace('npm:@types/express@', ''),
  },
  5: { express: devDependencies.express, '@types/express': devDependencies['@types/express'] },
}
const undiciVersions = { lowest: dependencies.undici.replace(/^\D/, ''), newest: '7' }
const typeScriptVersions = { oldest: '~5.9.0', newest: devDependencies.typescript }

/** Pairwise: of any two columns, each pair of values stands in one of the four. */
const projects = [
  { express: 4, undici: 'newest', typescript: 'oldest' },
  { express: 5, undici: 'lowest', typescript: 'oldest' },
  { express: 4, undici: 'lowest', typescript: 'newest' },
  { express: 5, undici: 'newest', typescript: 'newest' },
]
const steps = ['types', 'entries', 'login', 'phone']

const scratch = mkdtempSync(join(tmpdir(), 'express-two-factor-matrix-'))
let isRed = false
try {
  isRed = runMatrix()
} finally {
  rmSync(scratch, { recursive: true })
}
exit(isRed ? 1 : 0)

function runMatrix() {
  const wanted = nodes.filter((version) => argv[2] === undefined || version.split('.')[0] === argv[2])
  if (wanted.length === 0) throw new TypeError(`no Node ${argv[2]} among ${nodes.join(', ')}`)
  const [{ filename }] = JSON.parse(run('npm', ['pack', '--json', '--pack-destination', scratch], root))
  installNodes(wanted)
  const folders = projects.map((versions, index) => installProject(versions, index, filename))
  const rows = wanted.flatMap((version) => {
    // Two projects that share neither Express nor undici; the compiler is as old as this Node.
    const pair = version.includes('.') ? [0, 1] : [2, 3]
    return pair.map((project) => runRow(version, folders[project]))
  })
  console.table(rows)
  return rows.some((row) => steps.some((step) => row[step] !== 'ok'))
}

/** The registry's packages of Node hold nothing but its binary; their install scripts are not needed. */
function installNodes(versions) {
  const aliases = versions.map((version) => [
    `node-${version}`,
    `npm:node-${process.platform}-${process.arch}@${version}`,
  ])
  install('nodes', { dependencies: Object.fromEntries(aliases) })
}

function installProject({ express, undici, typescript }, index, filename) {
  const folder = install(`project-${index}`, {
    type: 'module',
    dependencies: {
      ...expressLines[express],
      'express-session': devDependencies['express-session'],
      '@types/express-session': devDependencies['@types/express-session'],
      '@types/node': devDependencies['@types/node'],
      typescript: typeScriptVersions[typescript],
      [name]: `file:${join(scratch, filename)}`,
    },
    overrides: { undici: undiciVersions[undici] },
  })
  const compilerOptions = {
    module: 'nodenext',
    target: 'es2023',
    strict: true,
    noEmit: true,
    esModuleInterop: true,
    types: ['node'],
  }
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*.*ts'] }))
  pasteTypeScript(folder)
  return folder
}

function install(title, manifest) {
  const folder = join(scratch, title)
  mkdirSync(folder)
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true, ...manifest }))
  const quietly = ['--ignore-scripts', '--prefer-offline', '--no-audit', '--no-fund', '--loglevel', 'error']
  run('npm', ['install', ...quietly], folder)
  return folder
}

/** Everything in the project, by this Node and by no other. */
function runRow(version, project) {
  const binaries = join(scratch, 'nodes', 'node_modules', `node-${version}`, 'bin')
  const PATH = `${binaries}${delimiter}${env.PATH}`
  const versionOf = (dependency) =>
    JSON.parse(readFileSync(join(project, 'node_modules', dependency, 'package.json'), 'utf8')).version
  const row = { node: run(join(binaries, 'node'), ['--version'], project).trim().slice(1) }
  for (const dependency of ['express', 'undici', 'typescript']) row[dependency] = versionOf(dependency)
  for (const step of steps) {
    const program = new URL('matrix-step.js', import.meta.url).pathname
    const { status, stderr } = spawnSync('node', [program, step], {
      cwd: project,
      env: { ...env, PATH },
      encoding: 'utf8',
    })
    row[step] = status === 0 ? 'ok' : 'RED'
    if (status !== 0) console.error(`Node ${row.node}, Express ${row.express}, ${step}: ${stderr}`)
  }
  console.log(Object.values(row).join('  '))
  return row
}

function run(command, args, cwd) {
  return execFileSync(command, args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] })
}
