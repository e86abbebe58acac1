// Packs the package as it would be published, lints the tarball, and uses it from projects outside the
// repository: one with Express 5 and the newest TypeScript, one with Express 4 and the oldest.
import { execFileSync } from 'node:child_process'
import { copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runPlaywright } from './playwright.js'
import { installProject, loadEntries, manifest, oldestTypeScript, pack, root, run } from './projects.js'
import { signInTwice } from './quick-start.js'
import { ejs, ownVendor, redis } from './recipes.js'

const { dependencies, devDependencies, overrides, pinned } = manifest
const bin = (name) => join(root, 'node_modules', '.bin', name)
/** The compiler for each line of Express. Every pair of them is up to `npm run matrix`. */
const typeScripts = { 4: oldestTypeScript, 5: devDependencies.typescript }
const scratch = mkdtempSync(join(tmpdir(), 'express-two-factor-'))

warnOfWhatOnlyTheOwnerKnows()
checkPins()
try {
  // `.ci/run` has built it a moment ago.
  const packed = pack(scratch, ...(process.env.TEST_FILES_MADE !== undefined ? ['--ignore-scripts'] : []))
  const tarball = join(scratch, packed.filename)
  checkFiles(packed.files.map(({ path }) => path))
  console.log(`packed ${packed.files.length} files, ${Math.round(packed.unpackedSize / 1024)} kB unpacked`)

  show(bin('publint'), ['run', tarball, '--strict'])
  show(bin('attw'), [tarball, '--profile', 'esm-only', '--no-definitely-typed', '--quiet'])
  console.log('attw: every entry resolves, with its types')

  const project = await installAndRun(5, tarball)
  runPlaywright(project)
  await runRecipes(project)
  await installAndRun(4, tarball)
} finally {
  rmSync(scratch, { recursive: true })
}

/** A version that gets no fixes by itself, or is not the newest, says why; a dependency of the user's app never does. */
function checkPins() {
  const exact = (versions) => Object.keys(versions).filter((name) => /^[~\d]/.test(versions[name]))
  const held = [...exact(devDependencies), ...Object.keys(overrides)]
  const unexplained = held.filter((name) => !pinned[name])
  const stale = Object.keys(pinned).filter((name) => !held.includes(name))
  const wrong = [...unexplained, ...stale, ...exact(dependencies)]
  if (wrong.length > 0)
    throw new Error(`package.json: look at the version and the reason of ${wrong.join(', ')}`)
}

/** Nothing but the code built from this source, and what its documents show, may be published. */
function checkFiles(files) {
  const texts = ['package.json', 'README.md', 'LICENSE', 'CHANGELOG.md']
  const shown = run('git', ['ls-files', 'docs', 'examples'], root)
    .trim()
    .split('\n')
    .filter((file) => !manifest.files.includes(`!${file}`))
  const missing = [...texts, ...shown].filter((file) => !files.includes(file))
  const stray = files.filter((file) => {
    const source = file.replace(/^dist\//, 'src/').replace(/(\.d\.ts|\.js|\.js\.map)$/, '.ts')
    const built = source !== file && (existsSync(join(root, source)) || file.startsWith('dist/chunks/'))
    return !built && !texts.includes(file) && !shown.includes(file)
  })
  if (missing.length > 0) throw new Error(`the package lacks ${missing.join(', ')}`)
  if (stray.length > 0) throw new Error(`the package must not hold ${stray.join(', ')}`)
}

/** What only the owner knows. Left out while it is unset: an empty address is a dead link on the registry. */
function warnOfWhatOnlyTheOwnerKnows() {
  if (manifest.repository === undefined) {
    console.warn('warning: package.json has no `repository`; provenance, home page and issue tracker need it')
  }
  if (readFileSync(join(root, 'SECURITY.md'), 'utf8').includes('OWNER:')) {
    console.warn('warning: SECURITY.md has no contact; it is marked OWNER:')
  }
}

/** Installs the tarball beside one line of Express, loads every entry, type-checks a consumer and signs in. */
async function installAndRun(line, tarball) {
  const title = `express ${line}`
  const project = installProject(join(scratch, `express-${line}`), tarball, line, {
    dependencies: {
      ejs: '^3.1.10',
      redis: devDependencies.redis,
      typescript: typeScripts[line],
    },
  })
  copyFileSync(new URL('consumer.ts', import.meta.url), join(project, 'consumer.ts'))

  for (const exported of loadEntries(project)) console.log(`${title}: ${exported}`)
  run(join(project, 'node_modules', '.bin', manifest.name), ['--help'], project)
  const compile = (...flags) => run(join(project, 'node_modules', '.bin', 'tsc'), flags, project).trim()
  const read = compile('-p', 'tsconfig.json', '--listFiles').split('\n')
  if (read.some((file) => file.includes('/zod/'))) throw new Error('the declarations load zod')
  console.log(`${title}: ${compile('--version')} reads ${read.length} files, no mistake`)
  await signInTwice(project)
  console.log(`${title}: the command runs, and the quick start signs in, as a module and with require`)
  return project
}

/** What the documents show beside the quick start, in the same folder: nothing there but what was installed. */
async function runRecipes(project) {
  await ownVendor(project)
  await ejs(project)
  const note = await redis(project)
  console.log(
    `an SMS vendor of one's own, a template of EJS, ${note}Redis: pasted from the documents, they sign in`,
  )
}

function show(command, args) {
  execFileSync(command, args, { stdio: ['ignore', 'inherit', 'inherit'] })
}
