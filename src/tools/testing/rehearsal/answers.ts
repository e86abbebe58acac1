import type { Agent } from './agent.js'
import { fieldsOf, requestOf, stepsUp } from './deeds.js'
import {
  attacker,
  crossSiteHeaders,
  inContentTypes,
  isOfForms,
  isOfTheRequest,
  originsLike,
} from './hostile.js'
import { returnTo } from './return-to.js'
import { isSuccess } from './shape.js'
import type { Attack, Stage } from './stage.js'
import { Fell, fell, isLimited, NotTried, refused, told } from './verdicts.js'
import type { RehearsalResponse } from './wire.js'

/** Ends a row about cookies where somebody who is signed in needs none, as with a token: there is none to misuse. */
export async function mustNeedCookies({ path, paths }: Stage, agent: Agent): Promise<void> {
  const without = agent.copy([...agent.cookies.keys()])
  const answers = await Promise.all([path, ...paths].map((one) => without.get(one)))
  if (answers.every(isSuccess))
    throw new NotTried('the session is not held by a cookie', { lacks: 'a cookie' })
}

const html = { accept: 'text/html' }

/** What the answers of the app let other sites, frames and caches do. */
export const attacksByOtherSites: readonly Attack[] = [
  {
    code: 'cross-site',
    claim: 'another site can neither start, verify nor read',
    fix: 'list the origins that you know in cors() and allowedOrigins, in place of every one that asks',
    docs: 'docs/single-page.md#another-origin',
    async run(stage, tries) {
      tries('posts with the headers of another site, and reading answers from one (CORS)')
      await mustNeedCookies(stage, (await stage.signedIn()).agent)
      const visit = await stage.passwordGiven()
      const { agent } = visit
      const asked = await stage.challenged(visit)
      for (const [name, headers] of Object.entries(crossSiteHeaders(stage.origin))) {
        for (const route of ['start', 'verify']) {
          const sent = { 'sec-fetch-site': '', ...headers }
          const response = await agent.post(`${stage.path}/${route}`, { code: '000000' }, sent)
          if (isLimited(response) && response.json?.code === undefined) throw refused(response)
          if (response.status !== 403) fell(response, `${name}: ${told(response)}`)
        }
      }
      await stage.admitted(asked)
      const own = [stage.origin, 'http://localhost', ...(stage.options.origins ?? [])]
      for (const path of [stage.path, ...stage.paths]) {
        const read = await agent.get(path)
        if (!isSuccess(read)) throw refused(read, 'on its own site')
        for (const origin of originsLike(own)) {
          const response = await agent.get(path, fromElsewhere(origin))
          if (mayRead(origin, response)) {
            fell(response, `${origin} may read ${path} with the cookies of a visitor`)
          }
        }
      }
      return 'each was refused, and the same on its own site was not'
    },
  },
  returnTo,
  {
    code: 'cookies',
    claim: 'the session cookie is out of reach of scripts and other sites',
    fix: "set cookie: { httpOnly: true, sameSite: 'lax' } of the session; with 'none' for a front end on another site, which cors() and origins of the plan name, take no forms from others",
    docs: 'docs/sessions.md#express-session',
    async run(stage, tries) {
      const { agent } = await stage.signedIn()
      await mustNeedCookies(stage, agent)
      tries(`the flags of ${agent.cookies.size} cookies after a sign-in`)
      const full = await stage.lookIn(agent)
      let keys = 0
      for (const [name, line] of agent.setCookies) {
        // Another cookie may be what it likes: only one that keeps somebody signed in is worth stealing.
        if ((await stage.firstShown(await stage.look(agent.copy([name])), full)) !== undefined) continue
        keys += 1
        const flags = line.split(';').map((flag) => flag.trim().toLowerCase())
        const has = (start: string) => flags.some((flag) => flag.startsWith(start))
        const isShared = has('samesite=none') && (await isCalledAcross(stage, agent))
        if (isShared) await forge(stage)
        const missing = [
          ...(has('httponly') ? [] : ['is readable by scripts (no HttpOnly)']),
          ...(isShared || has('samesite=lax') || has('samesite=strict')
            ? []
            : ['goes along with requests of other sites (no SameSite=Lax)']),
          ...(has('domain=') ? ['goes to every subdomain (Domain)'] : []),
        ]
        const request = { method: 'GET', path: stage.paths[0] ?? '/' }
        if (missing.length > 0)
          throw new Fell(`the session cookie "${name}" ${missing.join(' and ')}`, request)
      }
      if (keys === 0) throw new NotTried('the pages are shown without any one of the cookies')
      return `${keys} hold the session, out of reach`
    },
  },
  {
    code: 'code-page',
    claim: 'the code page posts to the routes of the package',
    fix: 'let the form of your own page post to verifyUrl of the view',
    docs: 'docs/pages.md#a-page-of-your-own',
    async run(stage, tries) {
      tries('where the forms of the code page post to')
      const page = await codePage(stage)
      const forms = page.text.match(/<form[^>]*>[\s\S]*?<\/form>/gi) ?? []
      const base = stage.origin + page.request.path
      const asking = forms.filter((one) => /name="?code\b|one-time-code/i.test(one))
      if (asking.length === 0) throw new NotTried('no form of the code page takes a code')
      for (const form of asking) {
        const [, action = base] = /<form[^>]*\baction="?([^"\s>]*)/i.exec(form) ?? []
        const url = URL.canParse(action, base) ? new URL(action, base).href : action
        if (!url.startsWith(`${stage.origin}${stage.path}/`)) fell(page, `the code is posted to ${url}`)
      }
      return `${asking.length} forms, all to the routes of the package`
    },
  },
  {
    code: 'headers',
    claim: 'no frame holds the code page, and no shared cache a page of the signed-in',
    fix: 'send Cache-Control: private or no-store behind guards, and leave the headers of the package as they are',
    docs: 'docs/security.md#what-to-keep-apart',
    async run(stage, tries) {
      tries('the headers of the code page and of pages for the signed-in')
      const page = await codePage(stage)
      const policy = String(page.headers['content-security-policy'] ?? '')
      if (!/frame-ancestors/.test(policy) && page.headers['x-frame-options'] === undefined) {
        fell(page, 'the code page may be framed (clickjacking)')
      }
      const { agent } = await stage.signedIn()
      for (const path of [stage.path, ...stage.paths]) {
        const response = await agent.get(path, html)
        if (!isSuccess(response)) throw refused(response)
        const caching = String(response.headers['cache-control'] ?? '')
        const isShared = /public|s-maxage|max-age=[1-9]/.test(caching) && !/private|no-store/.test(caching)
        if (isShared) fell(response, `${path} is sent with "${caching}"`)
      }
      return 'no frame, and nothing for shared caches'
    },
  },
]

/** Whether pages of this origin may read it with the cookies of a visitor. */
function mayRead(origin: string, { headers }: RehearsalResponse): boolean {
  return (
    headers['access-control-allow-origin'] === origin &&
    headers['access-control-allow-credentials'] === 'true'
  )
}

/** Whether the app is called by pages of another origin that the plan names: they need its cookie. */
async function isCalledAcross({ path, options: { origins = [] } }: Stage, agent: Agent): Promise<boolean> {
  const readings = origins.map(async (origin) =>
    mayRead(origin, await agent.get(path, fromElsewhere(origin))),
  )
  return (await Promise.all(readings)).includes(true)
}

/** Posts what a form of another site can, with a cookie that comes along: only the app itself can refuse that. */
async function forge(stage: Stage): Promise<void> {
  const posted = (stage.options.actions ?? []).filter(({ method = 'POST' }) => method === 'POST')
  for (const action of posted.filter((one) => !stepsUp(one))) {
    const visit = await stage.signedIn()
    const fields = Object.entries(fieldsOf(action, visit)).filter(([name]) => !isOfTheRequest(name))
    for (const { type, body } of inContentTypes(Object.fromEntries(fields)).filter(({ type }) =>
      isOfForms(type),
    )) {
      const headers = { ...fromElsewhere(attacker), 'content-type': type }
      const { response, isDone } = await stage.attempt(action, visit, {
        ...requestOf(action, visit),
        body,
        headers,
      })
      if (isDone) fell(response, `${told(response)} to a form of another site`)
    }
  }
}

const fromElsewhere = (origin: string) => ({ origin, 'sec-fetch-site': 'cross-site' })

/** The code page as a browser gets it, wherever it is. */
async function codePage(stage: Stage): Promise<RehearsalResponse> {
  const { agent } = await stage.challenged(await stage.passwordGiven())
  const page = await agent.follow(await agent.get(stage.path, html))
  if (isLimited(page)) throw refused(page)
  if (!isSuccess(page) || !/<form/i.test(page.text)) {
    throw new NotTried(`there is no code page: ${told(page)}`, { lacks: 'a code page' })
  }
  return page
}
