import type { Agent } from './agent.js'
import type { RehearsalPath, RehearsalPerson } from './contract.js'
import { isSuccess, pathFor } from './requests.js'
import { fell, lacking, mustBeJudged, NotTried, refused, told } from './verdicts.js'
import type { Visit } from './visit.js'
import type { RehearsalRequest, RehearsalResponse } from './wire.js'

type Words = ReadonlySet<string>

/** A page as its owner gets it, with the words that a visitor without an account does not get. */
export interface Sight {
  readonly page: RehearsalResponse
  readonly marks: Words
  /** Words among them, such as a name, each of which is enough to count as shown. */
  readonly names?: Words
  /** True if a visitor without an account also gets the page. */
  readonly isPublic: boolean
}

/** Share of the marks that a response must contain: a part of a page may differ between two views. */
const enough = 0.8

/** Returns whether a word is a date, or too short to identify a page, as in a clock. */
const isWeak = (word: string): boolean => word.length < 3 || /^\d{4}-\d\d-\d\d/.test(word)

/** Returns the words of a text, and of the attributes of its tags. */
function wordsOf({ text }: Pick<RehearsalResponse, 'text'>): Words {
  const shown = text.replaceAll(/<!doctype[^>]*>|<[!/]?[a-z][\w-]*|[\w-]+=(?=["'])/gi, ' ')
  const words = shown.match(/[\p{L}\p{N}_](?:[\p{L}\p{N}_.@-]*[\p{L}\p{N}_])?/gu) ?? []
  return new Set(words.filter((word) => !isWeak(word)))
}

const both = (one: Words, other: Words): Words => new Set([...one].filter((word) => other.has(word)))
const minus = (words: Words, others: Words): Words => new Set([...words].filter((word) => !others.has(word)))

/** Returns whether a page asks for a password or a code. */
export const asksForProof = ({ text, json }: RehearsalResponse): boolean =>
  json === undefined && /<input[^>]*("?password\b|one-time-code|name="?(code|otp)\b)/i.test(text)

/** Returns whether a response shows the owner's content. A refusal may contain it, too. */
export function isShown(response: RehearsalResponse, { page, marks, names, isPublic }: Sight): boolean {
  if (asksForProof(response) && !asksForProof(page)) return false
  if (marks.size === 0) return isPublic && isSuccess(response)
  // A page may repeat what the request says, such as its address in a link to the sign-in.
  const said = wordsIn(response.request)
  const words = minus(wordsOf(response), said)
  const rest = minus(marks, said)
  const isMostOfIt = rest.size > marks.size / 2 && both(rest, words).size >= enough * rest.size
  return isMostOfIt || (names !== undefined && both(names, words).size > 0)
}

/** Returns whether a response contains a name of the owner. */
export const showsName = (response: RehearsalResponse, { names = new Set() }: Sight): boolean =>
  both(names, wordsOf(response)).size > 0

/** Returns the words in the values of a query, and of the headers except the cookies. */
function wordsIn({ path, headers = {} }: RehearsalRequest): Words {
  const { cookie, ...others } = headers
  const values = [...new URLSearchParams(path.split('?')[1]).values(), ...Object.values(others)]
  return wordsOf({ text: values.join(' ') })
}

/** Creates the pages of the plan. A page counts as shown if a response contains content that only its owner gets. */
export function createPages(paths: readonly RehearsalPath[], anonymous: () => Agent) {
  async function look({ agent, person }: Visit): Promise<readonly RehearsalResponse[]> {
    if (paths.length === 0) throw lacking('pages')
    return Promise.all(paths.map((path) => agent.get(pathFor(path, person))))
  }

  /** Reads a page as its owner: twice, because tokens and times differ, and once without an account. */
  async function sightOf(path: RehearsalPath, { agent, person }: Visit): Promise<Sight> {
    const nobody = anonymous()
    const address = pathFor(path, person)
    const [page, again, outside] = [
      await agent.get(address),
      await agent.get(address),
      await nobody.get(address),
    ]
    mustBeJudged(outside)
    if (!isSuccess(page)) throw refused(page, 'after the correct code')
    const isPublic = isSuccess(outside)
    // The sign-in page, where a redirect leads to, has the layout of the app.
    const layout = await nobody.follow(outside)
    const marks = minus(both(wordsOf(page), wordsOf(again)), wordsOf(layout))
    if (marks.size > 0) return { page, marks, isPublic }
    // A front end may load its data by script: the plan must then name the address of the data.
    if (!isPublic || /<script/i.test(page.text)) {
      throw new NotTried(`${address} shows no data of the user: name the address of the data in \`pages\``)
    }
    return { page, marks, isPublic }
  }

  async function lookIn(visit: Visit): Promise<readonly Sight[]> {
    if (paths.length === 0) throw lacking('pages')
    const sights: Sight[] = []
    for (const path of paths) sights.push(await sightOf(path, visit))
    return sights
  }

  const firstShown = (seen: readonly RehearsalResponse[], within: readonly Sight[]) =>
    seen.find((response, index) => {
      const sight = within[index]
      return sight !== undefined && isShown(response, sight)
    })

  /** Ends the attack if a page was shown. */
  function mustHide(seen: readonly RehearsalResponse[], within: readonly Sight[]): string {
    const page = firstShown(seen, within)
    if (page !== undefined) fell(page, `${told(page)} and showed the page`)
    return 'no page was shown without a code, and each was shown with it'
  }

  return { paths, look, sightOf, lookIn, firstShown, mustHide }
}

/** Returns values by which a request or a page may name a person. */
export const namesOf = (person: object): readonly string[] =>
  Object.entries(person).flatMap(([name, value]) =>
    /pass|secret/i.test(name) || !/string|number/.test(typeof value) ? [] : [String(value)],
  )

/**
 * Returns the page with the names of its owner: without those of another person, short numbers, and words in the path.
 * A requester may know names from other pages (`seen`), and from what the app shows them in place of the page (`instead`):
 * all but the phone number.
 */
export function withNames(
  sight: Sight,
  owner: RehearsalPerson,
  other: object,
  seen: readonly RehearsalResponse[],
  instead: readonly RehearsalResponse[] = [],
): Sight {
  const known = [...seen, { text: `${sight.page.request.path} ${namesOf(other).join(' ')}` }]
  const without = (names: Words, shown: readonly Pick<RehearsalResponse, 'text'>[]) =>
    shown.reduce((left, one) => minus(left, wordsOf(one)), names)
  const names = without(both(sight.marks, wordsOf({ text: namesOf(owner).join(' ') })), known)
  const secret = new Set([...without(names, instead), ...both(names, wordsOf({ text: owner.phone }))])
  return { ...sight, names: new Set([...secret].filter((word) => !/^\d{1,4}$/.test(word))) }
}

/** Returns the page without the words that another person gets on their own page. */
export const unlike = (sight: Sight, other: Sight): Sight => ({
  ...sight,
  marks: minus(sight.marks, wordsOf(other.page)),
})

/** Returns the page without the words that a requester gets on other pages, such as those of a common layout. */
export function withoutKnown(sight: Sight, seen: readonly RehearsalResponse[]): Sight {
  const marks = seen.reduce((left, one) => minus(left, wordsOf(one)), sight.marks)
  return marks.size === 0 ? sight : { ...sight, marks }
}

/** A content that is chosen from two at random stays in none of 32 pages. */
const repeatedReads = 5

/** Returns the page without the words that differ when its owner reads it again, such as a tip of the day. */
export async function lastingPart(owner: Agent, sight: Sight): Promise<Sight> {
  let { marks } = sight
  for (let reads = 0; reads < repeatedReads; reads += 1) {
    const again = await owner.get(sight.page.request.path)
    // The session of the owner has ended.
    if (!isSuccess(again)) return sight
    marks = both(marks, wordsOf(again))
  }
  return { ...sight, marks }
}
