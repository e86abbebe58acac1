// What is compared with here is no dependency of the package: it is installed outside the repository.
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

export const folder = join(tmpdir(), 'express-two-factor-bench')
export const dependencies = {
  'better-auth': '1.7.25',
  'express-rate-limit': '8.7.4',
  'rate-limiter-flexible': '11.4.0',
  twilio: '6.2.0',
}

/** One of them that is an ES module. */
export const foreignModule = (name) =>
  import(pathToFileURL(createRequire(join(folder, 'package.json')).resolve(name)).href)

/** One of them. */
export const foreign = (name) => createRequire(join(folder, 'package.json'))(name)
