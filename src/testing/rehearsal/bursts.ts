import { type Attempted, NotTried, type Stage, type Visit } from './stage.js'

/** Whatever posts and is answered. */
interface Posting {
  post(path: string, body: object): Promise<{ readonly status: number }>
}

/** Posts from many browsers at once, each body by the next of them. Resolves with how often each status came. */
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

/** Each another one, because the same wrong code again would not reach the provider. */
export function wrongCodes(count: number, right = ''): readonly string[] {
  const length = right.length || 6
  const codes = Array.from({ length: count + 1 }, (_, index) => String(index + 1).padStart(length, '7'))
  return codes.filter((code) => code !== right).slice(0, count)
}

/** Browsers in which one person has given the password. */
async function crowd(stage: Stage, count: number): Promise<readonly Visit[]> {
  const first = await stage.passwordGiven()
  const more = await Promise.allSettled(
    Array.from({ length: count - 1 }, () => stage.passwordGiven({ person: first.person })),
  )
  return [first, ...more.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []))]
}

/** The highest `attemptsPerChallenge` that there is. */
const maxJudged = 10

export async function guesses(stage: Stage): Promise<Attempted> {
  const visits = await crowd(stage, stage.many(100, 5))
  const [first] = visits
  if (first === undefined) throw new NotTried('nobody could sign in')
  const { code } = await stage.challenged(first)
  const browsers = visits.map(({ agent }) => agent)
  await Promise.all(browsers.slice(1).map((agent) => agent.post(`${stage.path}/start`, {})))
  const codes = wrongCodes(10 * visits.length, code)
  const path = `${stage.path}/verify`
  const statuses = await postAtOnce(
    browsers,
    path,
    codes.map((guess) => ({ code: guess })),
  )
  const judged = Math.max(statuses.get(422) ?? 0, stage.checksOf(first.person))
  const opened = statuses.get(200) ?? 0
  return {
    tried: `${codes.length} wrong codes at once over ${visits.length} sessions`,
    seen: `${judged} were judged, ${opened} let somebody in`,
    fell: judged > maxJudged || opened > 0,
    request: { method: 'POST', path, body: { code: '…' } },
  }
}

export async function rightCodes(stage: Stage): Promise<Attempted> {
  const { agent, code, challenge } = await stage.challenged(await stage.passwordGiven())
  const count = stage.many(200, 10)
  const browsers = Array.from({ length: count }, () => agent.copy())
  const path = `${stage.path}/verify`
  const statuses = await postAtOnce(
    browsers,
    path,
    browsers.map(() => ({ code, challenge })),
  )
  const successes = statuses.get(200) ?? 0
  return {
    tried: `one right code ${count} times at once`,
    seen: `${successes} succeeded`,
    fell: successes !== 1,
    request: { method: 'POST', path, body: { code: '…' } },
  }
}

export async function starts(stage: Stage): Promise<Attempted> {
  const visits = await crowd(stage, stage.many(200, 10))
  const path = `${stage.path}/start`
  const browsers = visits.map(({ agent }) => agent)
  await postAtOnce(
    browsers,
    path,
    visits.map(() => ({})),
  )
  const sent = stage.sandbox.inbox.list(visits[0]?.person.phone).length
  return {
    tried: `${visits.length} starts at once for one person, each in a session of its own`,
    seen: `${sent} sent`,
    fell: sent !== 1,
    request: { method: 'POST', path, body: {} },
  }
}
