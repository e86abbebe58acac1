/** What browsers are served: the entry `express-two-factor/browser`, which is `dialog.js`, and the script of the pages. */
const bundles = { index: 'esm', page: 'iife' }

export default Object.entries(bundles).map(([name, format]) => ({
  input: `src/browser/${name}.ts`,
  output: { file: `dist/browser/${name}.js`, format, minify: true },
}))
