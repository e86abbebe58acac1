// The packed package on every Node line it supports, with both lines of Express, the lowest and the newest
// undici 7, and the oldest and the newest TypeScript. `npm run matrix`; `npm run matrix -- 24` for one line of Node.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { argv, env, exit } from 'node:process'
import { install, installProject, loadEntries, manifest, oldestTypeScript, pack, run } from './projects.js'
import { signInTwice } from './quick-start.js'

const { devDependencies, dependencies, engines } = manifest

/** The lowest of each line in `engines`, and the newest. */
const nodes = [...engines.node.matchAll(/(\d+)\.\d+\.\d+/g)].flat()
nodes.push('24')

const undiciVersions = { lowest: dependencies.undici.replace(/^\D/, ''), newest: '7' }
const typeScriptVersions = { oldest: oldestTypeScript, newest: devDependencies.typescript }

/** Pairwise: of any two columns, each pair of values stands in one of the four. */
const projects = [
  { express: 4, undici: 'newest', typescript: 'oldest' },
  { express: 5, undici: 'lowest', typescript: 'oldest' },
  { express: 4, undici: 'lowest', typescript: 'newest' },
  { express: 5, undici: 'newest', typescript: 'newest' },
]

/** What is done in each project. */
const steps = {
  types: (project) => run('node', [join('node_modules', 'typescript', 'bin', 'tsc'), '-p', '.'], project),
  entries: loadEntries,
  login: signInTwice,
}

const scratch = mkdtempSync(join(tmpdir(), 'express-two-factor-matrix-'))
const path = env.PATH
let isRed = false
try {
  isRed = await runMatrix()
} finally {
  rmSync(scratch, { recursive: true })
}
exit(isRed ? 1 : 0)

async function runMatrix() {
  const wanted = nodes.filter((version) => argv[2] === undefined || version.split('.')[0] === argv[2])
  if (wanted.length === 0) throw new TypeError(`no Node ${argv[2]} among ${nodes.join(', ')}`)
  const tarball = join(scratch, pack(scratch).filename)
  installNodes(wanted)
  const folders = projects.map(({ express, undici, typescript }, index) =>
    installProject(join(scratch, `project-${index}`), tarball, express, {
      dependencies: { typescript: typeScriptVersions[typescript] },
      overrides: { undici: undiciVersions[undici] },
    }),
  )
  const rows = []
  for (const version of wanted) {
    // Two projects that share neither Express nor undici; the compiler is as old as this Node.
    const pair = version.includes('.') ? [0, 1] : [2, 3]
    for (const project of pair) rows.push(await runRow(version, folders[project]))
  }
  console.table(rows)
  return rows.some((row) => Object.keys(steps).some((step) => row[step] !== 'ok'))
}

/** The registry's packages of Node hold nothing but its binary; their install scripts are not needed. */
function installNodes(versions) {
  const aliases = versions.map((version) => [
    `node-${version}`,
    `npm:node-${process.platform}-${process.arch}@${version}`,
  ])
  install(join(scratch, 'nodes'), { dependencies: Object.fromEntries(aliases) })
}

/** Everything in the project, by this Node and by no other. */
async function runRow(version, project) {
  env.PATH = [join(scratch, 'nodes', 'node_modules', `node-${version}`, 'bin'), path].join(delimiter)
  const versionOf = (dependency) =>
    JSON.parse(readFileSync(join(project, 'node_modules', dependency, 'package.json'), 'utf8')).version
  const row = { node: run('node', ['--version'], project).trim().slice(1) }
  for (const dependency of ['express', 'undici', 'typescript']) row[dependency] = versionOf(dependency)
  for (const [name, step] of Object.entries(steps)) {
    try {
      await step(project)
      row[name] = 'ok'
    } catch (error) {
      row[name] = 'RED'
      console.error(`Node ${row.node}, Express ${row.express}, ${name}: ${error.message}`)
    }
  }
  console.log(Object.values(row).join('  '))
  return row
}
