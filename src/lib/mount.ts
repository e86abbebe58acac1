import { optionError } from './options.js'

/** Refuses requests to a router at another mount, because links to its path would lead nowhere. */
export function refuseOtherMount(path: string): (req: { readonly baseUrl: string }) => void {
  return ({ baseUrl }) => {
    // Express ignores the case of a path.
    if (baseUrl.toLowerCase() === path.toLowerCase()) return
    throw optionError(`path is '${path}', but these routes are mounted at '${baseUrl}'; make both equal`)
  }
}
