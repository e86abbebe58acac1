import type { Attack, Stage } from './stage.js'
import { Fell, fell, NotTried, refused, told } from './verdicts.js'
import type { Visit } from './visit.js'

/** A client that posts and receives a response. */
interface Posting {
  post(path: string, body: object): Promise<{ readonly status: number }>
}

/** Posts in parallel from many browsers, each body from the next browser. Resolves with the count of each status. */
export async function postAtOnce(
  browsers: readonly Posting[],
  path: string,
  bodies: readonly object[],
): Promise<ReadonlyMap<number, number>> {
  const statuses = new Map<number, number>()
  await Promise.all(
    bodies.map(async (body, index) => {
      const response = await browsers[index % browsers.length]?.post(path, body)
      if (response !== undefined) statuses.set(response.status, (statuses.get(response.status) ?? 0) + 1)
    }),
  )
  return statuses
}

/** Returns different codes, because a repeated wrong code would not reach the provider. */
export function wrongCodes(count: number, right = '000000'): readonly string[] {
  const codes = Array.from({ length: count + 1 }, (_, index) => String(index + 1).padStart(right.length, '7'))
  return codes.filter((code) => code !== right).slice(0, count)
}

/** Creates browsers in which one person has entered the password. */
async function crowd(stage: Stage, count: number): Promise<readonly [Visit, ...Visit[]]> {
  const first = await stage.passwordGiven()
  const more = await Promise.allSettled(
    Array.from({ length: count - 1 }, () => stage.passwordGiven({ person: first.person })),
  )
  const errors = more.flatMap((each) => (each.status === 'rejected' ? [each.reason] : []))
  // One or two browsers are not the crowd that the row is about.
  if (errors.length > more.length / 2) throw errors[0]
  return [first, ...more.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []))]
}

/** The highest permitted `attemptsPerChallenge`. */
const maxJudged = 10

/** Attacks on the package's own counters, in the store of the app. */
export const attacksOnStores: readonly Attack[] = [
  {
    code: 'replay',
    claim: 'a used code is refused',
    fix: 'let the routes of the package check every code',
    docs: 'docs/security.md#threats-and-controls',
    async run(stage, tries) {
      stage.mustBring('store')
      tries('a used code in the next sign-in of its owner')
      const first = await stage.admitted(await stage.challenged(await stage.passwordGiven()))
      const second = await stage.challenged(await stage.passwordGiven({ person: first.person }))
      const response = await stage.verify({ ...second, code: first.code })
      if (response.status < 400) fell(response)
      await stage.admitted(second)
      return `${told(response)}, and the new code signed its owner in`
    },
  },
  {
    code: 'guesses',
    claim: 'of many parallel wrong codes in many sessions, at most ten are checked',
    fix: 'call twoFactor() once, at start-up, with one store for all sessions and processes',
    docs: 'docs/reference.md#limits',
    async run(stage, tries) {
      stage.mustBring('store')
      const visits = await crowd(stage, stage.many(100, 5))
      const [{ person, agent }, ...others] = visits
      const { code } = await stage.challenged({ person, agent })
      await Promise.all(others.map((other) => other.agent.post(`${stage.path}/start`, {})))
      const bodies = wrongCodes(10 * visits.length, code).map((guess) => ({ code: guess }))
      tries(`${bodies.length} parallel wrong codes in ${visits.length} sessions`)
      const browsers = visits.map((visit) => visit.agent)
      const statuses = await postAtOnce(browsers, `${stage.path}/verify`, bodies)
      const judged = statuses.get(422) ?? 0
      const opened = successesOf(statuses)
      if (judged === 0) throw new NotTried(`no code was checked: ${listOf(statuses)}`)
      const seen = `${judged} were checked, ${opened} signed in`
      return bounded(stage, 'verify', seen, judged <= maxJudged && opened === 0)
    },
  },
  {
    code: 'right-codes',
    claim: 'of many parallel correct codes, one succeeds',
    fix: 'call twoFactor() once, with one store; a store of your own must pass storeContract',
    docs: 'docs/deployment.md#redis',
    async run(stage, tries) {
      stage.mustBring('store')
      const { agent, code, challenge } = await stage.challenged(await stage.passwordGiven())
      const browsers = Array.from({ length: stage.many(200, 10) }, () => agent.copy())
      tries(`one correct code in ${browsers.length} parallel requests`)
      const bodies = browsers.map(() => ({ code, challenge }))
      const statuses = await postAtOnce(browsers, `${stage.path}/verify`, bodies)
      const successes = successesOf(statuses)
      if (successes === 0) throw new NotTried(`none succeeded: ${listOf(statuses)}`)
      return bounded(stage, 'verify', `${successes} succeeded`, successes === 1)
    },
  },
  {
    code: 'starts',
    claim: 'of many parallel starts, one sends',
    fix: 'let the routes of the package send every code, with one store',
    docs: 'docs/reference.md#limits',
    async run(stage, tries) {
      stage.mustBring('store')
      const visits = await crowd(stage, stage.many(200, 10))
      tries(`${visits.length} parallel starts for one person, each in another session`)
      const [start] = await Promise.all(visits.map(({ agent }) => agent.post(`${stage.path}/start`, {})))
      const sent = await stage.messagesTo(visits[0].person)
      if (sent === 0 && start !== undefined) throw refused(start, 'no code was sent')
      return bounded(stage, 'start', `${sent} sent`, sent === 1)
    },
  },
]

function bounded({ path }: Stage, route: 'start' | 'verify', seen: string, held: boolean): string {
  const body = route === 'verify' ? { code: '…' } : {}
  // A store that counts per process does so for attempts, codes and starts.
  if (!held) throw new Fell(seen, { method: 'POST', path: `${path}/${route}`, body }, 'counts')
  return seen
}

/** `onVerified` may redirect. */
const successesOf = (statuses: ReadonlyMap<number, number>) =>
  [...statuses].reduce((sum, [status, times]) => (status < 400 ? sum + times : sum), 0)

const listOf = (statuses: ReadonlyMap<number, number>) =>
  [...statuses].map(([status, times]) => `${times} times ${status}`).join(', ')
