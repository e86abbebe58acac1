// Packs the package as it would be published, lints the tarball, and uses it from projects outside the
// repository: once with each supported line of Express, and each with the oldest and the newest TypeScript.
import { execFileSync } from 'node:child_process'
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runPlaywright } from './playwright.js'
import { pasteTypeScript, signInTwice } from './quick-start.js'
import { ejs, ownVendor, redis } from './recipes.js'

const root = new URL('../..', import.meta.url).pathname
const bin = (name) => join(root, 'node_modules', '.bin', name)
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
const { dependencies, devDependencies, pinned } = manifest
const scratch = mkdtempSync(join(tmpdir(), 'express-two-factor-'))

warnOfWhatOnlyTheOwnerKnows()
checkPins()
try {
  const packed = JSON.parse(run('npm', ['pack', '--json', '--pack-destination', scratch], root))[0]
  const tarball = join(scratch, packed.filename)
  checkFiles(packed.files.map(({ path }) => path))
  console.log(`packed ${packed.files.length} files, ${Math.round(packed.unpackedSize / 1024)} kB unpacked`)

  show(bin('publint'), ['run', tarball, '--strict'])
  show(bin('attw'), [tarball, '--profile', 'esm-only', '--no-definitely-typed', '--quiet'])
  console.log('attw: every entry resolves, with its types')

  await installAndRun('express 5', tarball, {
    express: devDependencies.express,
    '@types/express': devDependencies['@types/express'],
  })
  runPlaywright(join(scratch, 'express-5'))
  await runRecipes(join(scratch, 'express-5'))
  await installAndRun('express 4', tarball, {
    express: devDependencies.express4.replace('npm:express@', ''),
    '@types/express': devDependencies['@types/express4'].replace('npm:@types/express@', ''),
  })
} finally {
  rmSync(scratch, { recursive: true })
}

/** A version that gets no fixes by itself says why; a dependency of the user's app always gets them. */
function checkPins() {
  const exact = (versions) => Object.keys(versions).filter((name) => /^[~\d]/.test(versions[name]))
  const unexplained = exact({ ...devDependencies, ...dependencies }).filter((name) => !pinned[name])
  const stale = Object.keys(pinned).filter((name) => !exact(devDependencies).includes(name))
  const wrong = [...unexplained, ...stale, ...exact(dependencies)]
  if (wrong.length > 0)
    throw new Error(`package.json: look at the version and the reason of ${wrong.join(', ')}`)
}

/** Nothing but the code built from this source, and what its documents show, may be published. */
function checkFiles(files) {
  const texts = ['package.json', 'README.md', 'LICENSE', 'CHANGELOG.md']
  const shown = run('git', ['ls-files', 'docs', 'examples'], root).trim().split('\n')
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

/** Installs the tarball beside one line of Express, imports every entry, type-checks a consumer and signs in. */
async function installAndRun(title, tarball, express) {
  const project = join(scratch, title.replace(' ', '-'))
  mkdirSync(project)
  const dependencies = {
    ...express,
    '@types/node': devDependencies['@types/node'],
    '@types/express-session': devDependencies['@types/express-session'],
    'express-session': devDependencies['express-session'],
    ejs: '^3.1.10',
    redis: devDependencies.redis,
    'typescript-5.9': 'npm:typescript@~5.9.0',
    'express-two-factor': `file:${tarball}`,
  }
  const compilerOptions = {
    module: 'nodenext',
    target: 'es2023',
    strict: true,
    noEmit: true,
    esModuleInterop: true,
    types: ['node'],
  }
  writeFileSync(
    join(project, 'package.json'),
    JSON.stringify({ private: true, type: 'module', dependencies }),
  )
  writeFileSync(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*.*ts'] }))
  copyFileSync(new URL('consumer.ts', import.meta.url), join(project, 'consumer.ts'))
  pasteTypeScript(project)
  show('npm', ['install', '--prefer-offline', '--no-audit', '--no-fund', '--loglevel', 'error'], project)

  for (const entry of Object.keys(manifest.exports).filter((name) => !name.endsWith('.json'))) {
    const name = join(manifest.name, entry)
    run('node', ['-e', `require('${name}')`], project)
    const names = run(
      'node',
      ['-p', `import('${name}').then((entry) => console.log(Object.keys(entry).join(' ')))`],
      project,
    )
    console.log(`${title}: ${name} exports ${names.split('\n')[1]}`)
  }
  run(join(project, 'node_modules', '.bin', manifest.name), ['--help'], project)
  for (const compiler of [bin('tsc'), join(project, 'node_modules', 'typescript-5.9', 'bin', 'tsc')]) {
    const read = run(compiler, ['-p', 'tsconfig.json', '--listFiles'], project).trim().split('\n')
    if (read.some((file) => file.includes('/zod/'))) throw new Error('the declarations load zod')
    console.log(
      `${title}: ${run(compiler, ['--version'], project).trim()} reads ${read.length} files, no mistake`,
    )
  }
  await signInTwice(project)
  console.log(`${title}: the command runs, and the quick start signs in, as a module and with require`)
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

function run(command, args, cwd) {
  return execFileSync(command, args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] })
}

function show(command, args, cwd) {
  execFileSync(command, args, { cwd, stdio: ['ignore', 'inherit', 'inherit'] })
}
