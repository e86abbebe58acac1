import { attackOnCookies, fromElsewhere, mayRead, mustNeedCookies } from './cookies.js'
import { codeOf } from './diagnosis.js'
import { crossSiteHeaders, originsLike } from './hostile.js'
import { isSuccess, pathFor } from './requests.js'
import { returnTo } from './return-to.js'
import type { Attack, Stage } from './stage.js'
import { fell, isLimited, mustBeJudged, NotTried, refused, told } from './verdicts.js'
import type { Visit } from './visit.js'
import type { RehearsalResponse } from './wire.js'

const html = { accept: 'text/html' }

/** Attacks by other sites, frames and caches on the responses of the app. */
export const attacksByOtherSites: readonly Attack[] = [
  {
    code: 'cross-site',
    claim: 'another site cannot start, verify or read',
    fix: 'list known origins in cors() and allowedOrigins, instead of accepting every origin',
    docs: 'docs/single-page.md#another-origin',
    async run(stage, tries) {
      tries('posts with the headers of another site, and reads from another site (CORS)')
      await mustNeedCookies(stage, await stage.signedIn())
      const visit = await stage.passwordGiven()
      const { agent } = visit
      const asked = await stage.challenged(visit)
      for (const [name, headers] of Object.entries(crossSiteHeaders(stage.origin))) {
        for (const route of ['start', 'verify']) {
          const sent = { 'sec-fetch-site': '', ...headers }
          const response = await agent.post(`${stage.path}/${route}`, { code: '000000' }, sent)
          if (isLimited(response) && response.json?.code === undefined) throw refused(response)
          // Another problem of the package shows that it has read the post. A refusal by the app does not.
          const isRead = !['cross_site', 'not_identified', undefined].includes(codeOf(response))
          if (response.status < 400 || isRead) fell(response, `${name}: ${told(response)}`)
        }
      }
      await stage.admitted(asked)
      const own = [stage.origin, 'http://localhost', ...(stage.options.origins ?? [])]
      for (const path of pathsOf(stage, visit)) {
        const read = await agent.get(path)
        if (!isSuccess(read)) throw refused(read, 'on its own site')
        for (const origin of originsLike(own)) {
          const response = await agent.get(path, fromElsewhere(origin))
          if (mayRead(origin, response)) {
            fell(response, `${origin} may read ${path} with the cookies of a visitor`)
          }
        }
      }
      return 'each was refused, and accepted on its own site'
    },
  },
  returnTo,
  attackOnCookies,
  {
    code: 'code-page',
    claim: 'the code page posts to the routes of the package',
    fix: 'let the form of your own page post to verifyUrl of the view',
    docs: 'docs/pages.md#your-own-page',
    async run(stage, tries) {
      stage.mustBring('page')
      tries('the targets of the forms on the code page')
      const page = await codePage(stage)
      const forms = page.text.match(/<form[^>]*>[\s\S]*?<\/form>/gi) ?? []
      const base = stage.origin + page.request.path
      const asking = forms.filter((one) => /name="?code\b|one-time-code/i.test(one))
      if (asking.length === 0) throw new NotTried('no form of the code page accepts a code')
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
    claim: 'no frame contains the code page, and no shared cache stores a page of a signed-in user',
    fix: 'send Cache-Control: private or no-store behind guards, and do not change the headers of the package',
    docs: 'docs/security.md#names-mounts-and-passwords',
    async run(stage, tries) {
      tries('the headers of the code page and of pages for signed-in users')
      const page = await codePage(stage)
      const policy = String(page.headers['content-security-policy'] ?? '')
      if (!/frame-ancestors/.test(policy) && page.headers['x-frame-options'] === undefined) {
        fell(page, 'the code page may be framed (clickjacking)')
      }
      const visit = await stage.signedIn()
      const { agent } = visit
      for (const path of pathsOf(stage, visit)) {
        const response = await agent.get(path, html)
        if (!isSuccess(response)) throw refused(response)
        const caching = String(response.headers['cache-control'] ?? '')
        const isShared = /public|s-maxage|max-age=[1-9]/.test(caching) && !/private|no-store/.test(caching)
        if (isShared) fell(response, `${path} is sent with "${caching}"`)
      }
      return 'no frame and no shared cache is allowed'
    },
  },
]

/** Returns the page of the package and the pages of the plan. */
const pathsOf = ({ path, paths }: Stage, { person }: Visit) => [
  path,
  ...paths.map((one) => pathFor(one, person)),
]

/** Returns the code page as a browser gets it, at any address. */
async function codePage(stage: Stage): Promise<RehearsalResponse> {
  const { agent } = await stage.challenged(await stage.passwordGiven())
  const page = mustBeJudged(await agent.follow(await agent.get(stage.path, html)))
  if (!isSuccess(page) || !/<form/i.test(page.text)) {
    throw new NotTried(`there is no code page: ${told(page)}`, { lacks: 'a code page' })
  }
  return page
}
