import { leavesSite } from './agent.js'
import { attacker, crossSiteHeaders, waysOut } from './hostile.js'
import { type Attempted, formOf, NotTried, type Stage, told } from './stage.js'
import type { RehearsalResponse } from './wire.js'

const html = { accept: 'text/html' }

export async function crossSite(stage: Stage): Promise<Attempted> {
  const tried = 'posts with the headers of another site, and reading answers from one (CORS)'
  const visit = await stage.passwordGiven()
  const fall = (seen: string, { request }: RehearsalResponse) => ({ tried, seen, fell: true, request })
  for (const [name, headers] of Object.entries(crossSiteHeaders(stage.origin))) {
    for (const route of ['start', 'verify']) {
      const body = { code: '000000' }
      const sent = { 'sec-fetch-site': '', ...headers }
      const response = await visit.agent.post(`${stage.path}/${route}`, body, sent)
      if (response.status !== 403) return fall(`${name}: ${told(response)}`, response)
    }
  }
  for (const path of [stage.path, ...(stage.options.pages ?? [])]) {
    const response = await visit.agent.get(path, { origin: attacker, 'sec-fetch-site': 'cross-site' })
    const { headers } = response
    const isOpen = headers['access-control-allow-origin'] === attacker
    if (isOpen && headers['access-control-allow-credentials'] === 'true') {
      return fall(`${attacker} may read ${path} with the cookies of a visitor`, response)
    }
  }
  return { tried, seen: 'each was refused', fell: false }
}

/** Names under which apps take where to go next. */
const wayNames = ['returnTo', 'return_to', 'returnUrl', 'next', 'redirect', 'continue', 'url']

export async function returnTo(stage: Stage): Promise<Attempted> {
  const ways = waysOut.slice(0, stage.many(waysOut.length, 3))
  const tried = `sign-ins that are to lead to another site, written in ${ways.length} ways`
  for (const way of ways) {
    const fields = Object.fromEntries(wayNames.map((name) => [name, way]))
    const left: RehearsalResponse[] = []
    const agent = stage.agent({
      alter({ path, body, ...rest }) {
        const query = `${path.includes('?') ? '&' : '?'}${new URLSearchParams(fields)}`
        const isObject = typeof body === 'object' && body !== null && !(body instanceof URLSearchParams)
        if (body instanceof URLSearchParams) for (const name of wayNames) body.set(name, way)
        return { ...rest, path: path + query, body: isObject ? { ...body, ...fields } : body }
      },
      onResponse: (response) => {
        if (leavesSite(response, stage.origin)) left.push(response)
      },
    })
    const visit = await stage.passwordGiven({ agent })
    const { code, challenge } = await stage.challenged(visit)
    const right = await agent.post(`${stage.path}/verify`, formOf({ code, challenge }), html)
    await agent.follow(right)
    const [response] = left
    if (response === undefined) continue
    return {
      tried,
      seen: `${told(response)}, to ${response.headers.location}`,
      fell: true,
      request: response.request,
    }
  }
  return { tried, seen: 'none left the site', fell: false }
}

export async function cookies(stage: Stage): Promise<Attempted> {
  const { agent } = await stage.signedIn()
  if (agent.cookies.size === 0) throw new NotTried('the session is not held by a cookie')
  const tried = `the flags of ${agent.cookies.size} cookies after a sign-in`
  for (const [name, line] of agent.setCookies) {
    const flags = line
      .split(';')
      .slice(1)
      .map((flag) => flag.trim().toLowerCase())
    const missing = [
      ...(flags.includes('httponly') ? [] : ['is readable by scripts (no HttpOnly)']),
      ...(flags.includes('samesite=none') ? ['goes along with requests of other sites (SameSite=None)'] : []),
      ...(flags.some((flag) => flag.startsWith('domain=')) ? ['goes to every subdomain (Domain)'] : []),
    ]
    // Another cookie may be what it likes: only one that keeps somebody signed in is worth stealing.
    const without = agent.copy([name])
    if (missing.length === 0 || (await stage.opensAny({ agent: without })) !== undefined) continue
    const request = { method: 'GET', path: stage.pages()[0] ?? '/' }
    return { tried, seen: `the session cookie "${name}" ${missing.join(' and ')}`, fell: true, request }
  }
  return { tried, seen: 'those that hold the session are out of reach', fell: false }
}

/** The code page as a browser gets it, wherever it is. */
async function codePage(stage: Stage): Promise<RehearsalResponse> {
  const visit = await stage.passwordGiven()
  await stage.challenged(visit)
  const page = await visit.agent.follow(await visit.agent.get(stage.path, html))
  if (page.status >= 400 || !/<form/i.test(page.text))
    throw new NotTried(`there is no code page: ${told(page)}`)
  return page
}

export async function codeForm(stage: Stage): Promise<Attempted> {
  const page = await codePage(stage)
  const tried = 'where the forms of the code page post to'
  const forms = page.text.match(/<form[^>]*>[\s\S]*?<\/form>/gi) ?? []
  const own = `${stage.origin}${stage.path}/`
  for (const form of forms.filter((one) => /name="?code\b|one-time-code/i.test(one))) {
    const [, action = page.request.path] = /<form[^>]*\baction="?([^"\s>]*)/i.exec(form) ?? []
    const url = URL.canParse(action, stage.origin + page.request.path)
      ? new URL(action, stage.origin + page.request.path).href
      : action
    if (!url.startsWith(own))
      return { tried, seen: `the code is posted to ${url}`, fell: true, request: page.request }
  }
  return { tried, seen: `${forms.length} forms, all to the routes of the package`, fell: false }
}

export async function pageHeaders(stage: Stage): Promise<Attempted> {
  const tried = 'the headers of the code page and of pages for the signed-in'
  const page = await codePage(stage)
  const policy = String(page.headers['content-security-policy'] ?? '')
  if (!/frame-ancestors/.test(policy) && page.headers['x-frame-options'] === undefined) {
    return { tried, seen: 'the code page may be framed (clickjacking)', fell: true, request: page.request }
  }
  const visit = await stage.signedIn()
  for (const path of [stage.path, ...(stage.options.pages ?? [])]) {
    const { headers, request } = await visit.agent.get(path, html)
    const caching = String(headers['cache-control'] ?? '')
    const isShared = /public|s-maxage|max-age=[1-9]/.test(caching) && !/private|no-store/.test(caching)
    if (isShared) return { tried, seen: `${path} is sent with "${caching}"`, fell: true, request }
  }
  return { tried, seen: 'no frame, and nothing for shared caches', fell: false }
}
