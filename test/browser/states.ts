import { text as dialogScript } from 'served:dialog.js'
import { text as pageScript } from 'served:page.js'
import { createPageHeaders, styleSheet } from '../../src/express/pages/brand.js'
import { createTexts } from '../../src/express/pages/language.js'
import type { Texts } from '../../src/express/pages/messages/en.js'
import { type PageFacts, pageFor } from '../../src/express/pages/page-for.js'
import { renderForDialog, renderPage } from '../../src/express/pages/pages.js'
import { arabic } from '../express/pages/arabic.js'
import { states } from '../express/pages/views.js'
import { type Listening, listening } from '../listening.js'

const texts = createTexts({ ar: arabic })
const script = (body: string) => ({ contentType: 'text/javascript', body })
const logo =
  '<svg xmlns="http://www.w3.org/2000/svg" width="96" height="32"><rect width="96" height="32"/></svg>'
const app = `<!doctype html><html lang="en"><head><title>Acme</title><link rel="icon" href="data:,">
<script type="module">import { fetchWithCode } from '/two-factor/dialog.js'; Object.assign(window, { fetchWithCode })</script>
</head><body><main><h1>Acme</h1></main></body></html>`

/** Every state that a person may meet, as a page and in the dialog, in every language, with nothing behind it. */
export interface States extends Listening {
  /** A GET of it, or a POST that leads to it, with any query. */
  urlOf(locale: string, state: string): string
  markupOf(locale: string, state: string): string
  /** A single-page app; what it fetches from the URL of a state opens a dialog with that. */
  readonly app: string
}

export async function serveStates(): Promise<States> {
  const assets: Record<string, { contentType: string; body: string }> = {
    '/page.css': { contentType: 'text/css', body: styleSheet(undefined) },
    '/page.js': script(pageScript),
    '/dialog.js': script(dialogScript),
    '/logo.svg': { contentType: 'image/svg+xml', body: logo },
    '/app': { contentType: 'text/html', body: app },
    // Asked for by browsers where the policy allows images of the site.
    '/favicon.ico': { contentType: 'image/svg+xml', body: logo },
  }
  const find = (path: string) => {
    const [, locale = '', state = ''] = path.split('/').map(decodeURIComponent)
    const facts = states[state]
    const language = texts.get(locale)
    if (facts === undefined || language === undefined) return undefined
    const links = locale === 'es' ? { lostPhone: '/help', ...facts.links } : facts.links
    return { facts: { ...facts, links }, language }
  }

  const { origin, close } = await listening((req, res) => {
    const { pathname, searchParams } = new URL(req.url ?? '', 'http://localhost')
    const json = (status: number, body: object) =>
      res
        .writeHead(status, { 'Content-Type': `application/${status === 200 ? '' : 'problem+'}json` })
        .end(JSON.stringify(body))
    const asset = assets[pathname.replace('/two-factor', '')]
    if (asset !== undefined) return res.setHeader('Content-Type', asset.contentType).end(asset.body)
    // The routes, as the dialog asks them.
    if (pathname === '/two-factor/start') return json(200, { challenge: {} })
    const shown = find(pathname === '/two-factor/' ? (searchParams.get('requirement') ?? '') : pathname)
    if (shown === undefined) return res.writeHead(404).end()
    const { facts, language } = shown
    if (pathname === '/two-factor/') return json(200, { html: renderForDialog(pageFor(facts), language) })
    if (!req.headers.accept?.includes('text/html')) {
      return json(403, {
        code: 'second_factor_required',
        requirement: pathname,
        startUrl: '/two-factor/start',
      })
    }
    const address = req.method === 'POST' ? pathname : undefined
    res.writeHead(200, {
      'Content-Type': 'text/html; charset=utf-8',
      ...createPageHeaders({ name: 'Acme', logoUrl: '/logo.svg' }),
    })
    return res.end(renderPage(pageFor({ ...facts, address }), language))
  })

  return {
    origin,
    close,
    app: `${origin}/app`,
    urlOf: (locale, state) => `${origin}/${locale}/${encodeURIComponent(state)}`,
    markupOf(locale, state) {
      const { facts, language } = find(`/${locale}/${encodeURIComponent(state)}`) ?? {}
      return renderPage(pageFor(facts as PageFacts), language as Texts)
    },
  }
}
