import { optionError } from '../../lib/options.js'

/**
 * Stores the paths of the app after a sign-in or step-up. One verify route completes the challenges of several start
 * routes.
 */
export function createSuccessPaths() {
  const paths = new Map<string | undefined, string>()
  return {
    /** Sets the path of one purpose. Without a purpose, of every purpose without its own. */
    add(where: string, purpose: string | undefined, path: string | undefined): void {
      if (path === undefined) return
      if ((paths.get(purpose) ?? path) !== path) {
        const what = purpose === undefined ? 'every purpose' : `the purpose "${purpose}"`
        throw optionError(
          `${where}: ${what} already has another successPath; send returnTo with the form instead`,
        )
      }
      paths.set(purpose, path)
    },
    /** Returns the path of a purpose, or undefined if none is set. */
    of: (purpose: string) => paths.get(purpose) ?? paths.get(undefined),
  }
}
