// Bundles what is published: each entry in one file, and what several of them need in `dist/chunks`, so that
// a class such as ProviderError is the same one whichever entry it came from. The entry for browsers is minified.
// `npm run bundle`.
import { build } from 'rolldown'
import { entries } from './entries.js'
import { byLine } from './line-map.js'
import { servedFiles } from './served-files.js'

const inBrowsers = (name) => name.startsWith('browser/')
/** What most entries need; grouped, because each set of entries that share something would get a chunk of its own. */
const small =
  /src\/(lib\/|errors|phone-number|challenge\/exchange\/code-provider|store\/(?!redis)|express\/guard\/coverage)|@oxc-project/
const onNode = entries.code.filter((name) => !inBrowsers(name))

await build([
  {
    input: Object.fromEntries(onNode.map((name) => [name, `src/${name}.ts`])),
    platform: 'node',
    // Dependencies stay imports; a helper of the bundler does not.
    external: /^(?!@oxc-project|served:)[@a-z]/,
    transform: { target: 'es2023' },
    plugins: [servedFiles(), { name: 'maps of lines', generateBundle: (_options, files) => coarsen(files) }],
    experimental: { attachDebugInfo: 'none' },
    output: {
      dir: 'dist',
      sourcemap: true,
      sourcemapExcludeSources: true,
      // The declarations have the docstrings.
      comments: false,
      minifyInternalExports: false,
      chunkFileNames: 'chunks/[name].js',
      codeSplitting: {
        groups: [
          // First, so that none of it goes with the one below, which needs some of it, too.
          { name: 'shared', test: small, minShareCount: 2 },
          // The only one that loads zod: stores do not.
          {
            name: 'operations',
            test: /src\/provider\/(operations|(answer|parameter)-schemas)/,
            minShareCount: 2,
          },
          { name: 'client', test: /src\/provider\//, minShareCount: 2 },
        ],
      },
    },
  },
  { input: 'src/browser/index.ts', output: { file: 'dist/browser/index.js', format: 'es', minify: true } },
])

/** Code that is not minified needs no columns, which are three quarters of a source map. */
function coarsen(files) {
  for (const file of Object.values(files)) {
    if (file.type === 'asset' && file.fileName.endsWith('.map')) {
      const { code } = files[file.fileName.slice(0, -'.map'.length)]
      file.source = JSON.stringify(byLine(JSON.parse(file.source), code))
    }
  }
}
