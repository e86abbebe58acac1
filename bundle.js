// What browsers are served, each in one file: the entry `express-two-factor/browser`, which is `dialog.js`
// under the mount, and the script of the pages. `npm run bundle`.
import { build } from 'rolldown'

await build([
  { input: 'src/browser/index.ts', output: { file: 'dist/browser/index.js', minify: true } },
  { input: 'src/browser/page.ts', output: { file: 'dist/browser/page.js', format: 'iife', minify: true } },
])
