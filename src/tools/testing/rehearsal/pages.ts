import type { Agent } from './agent.js'
import { asksForProof, holds, isSuccess, partsOf, without } from './shape.js'
import { fell, lacking, NotTried, refused, told } from './verdicts.js'
import type { RehearsalResponse } from './wire.js'

/** What each of the pages answers in one browser, in the order of the plan. */
type View = readonly RehearsalResponse[]

/** The pages that only the signed-in see. What nobody gets tells a page from a way to sign in, whatever its status. */
export function createPages(paths: readonly string[], nobody: () => Agent) {
  let nobodys: Promise<View> | undefined
  /** Of those that a password alone opens, and so everybody who has less than a code. */
  const open = new Set<string>()

  function look(agent: Agent): Promise<View> {
    if (paths.length === 0) throw lacking('pages')
    return Promise.all(paths.map((path) => agent.get(path)))
  }

  /** The same as somebody with a code, for whom each has to be there. */
  async function lookIn(agent: Agent): Promise<View> {
    const view = await look(agent)
    const missing = view.find((page) => !isSuccess(page))
    if (missing !== undefined) throw refused(missing, 'after the right code')
    return view
  }

  /** The first page that was `seen` without a code as the same person saw it `within`. */
  async function firstShown(seen: View, within: View): Promise<RehearsalResponse | undefined> {
    nobodys ??= look(nobody())
    const outside = await nobodys
    return seen.find((page, index) => {
      const [full, public_] = [within[index], outside[index]]
      return full !== undefined && public_ !== undefined && isShown(page, full, public_)
    })
  }

  /** Sees that no page was shown. */
  async function sealed(seen: View, within: View, isPassword = false): Promise<string> {
    const page = await firstShown(seen, within)
    if (page === undefined) return 'no page was shown, and with the code each was'
    const { path } = page.request
    if (isPassword) open.add(path)
    fell(page, told(page), open.has(path) ? path : undefined)
  }

  return { paths, look, lookIn, firstShown, sealed }
}

function isShown(page: RehearsalResponse, full: RehearsalResponse, outside: RehearsalResponse): boolean {
  const [own, all, public_] = [partsOf(page), partsOf(full), partsOf(outside)]
  const hidden = without(all, public_)
  if (hidden.size === 0 && isSuccess(outside)) {
    // The page of a client that asks for its data by itself: whether it gets them, this does not tell.
    if (/<script/i.test(full.text)) throw new NotTried(`${full.request.path} is the same for nobody`)
    return true
  }
  if (!isSuccess(page) || (asksForProof(page) && !asksForProof(full))) return false
  const isPublic = isSuccess(outside) && holds(public_, own)
  return (hidden.size > 0 && holds(own, hidden)) || (!isPublic && holds(all, own))
}
