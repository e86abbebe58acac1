import { createRequire } from 'node:module'
import { join } from 'node:path'

/** What the app in the current folder has installed: with npx this program itself may lie elsewhere. */
const requireFromApp = createRequire(join(process.cwd(), 'package.json'))

/** A package as the app would get it, or undefined when it is not installed. */
export type LoadFromApp = (name: string) => unknown

export const loadFromApp: LoadFromApp = (name) => {
  try {
    return requireFromApp(name)
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'MODULE_NOT_FOUND') return undefined
    throw error
  }
}
