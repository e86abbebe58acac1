import { Router } from 'express'

const css = `
.brand a { display: inline-block; }
.inbox { margin-top: 1.75rem; color: var(--faint); }
nav ul { display: flex; flex-wrap: wrap; gap: 0.25rem 1rem; padding: 0; margin: 0 0 1rem; list-style: none; }
table { width: 100%; margin-bottom: 1rem; border-collapse: collapse; }
th, td { padding: 0.375rem 0; text-align: start; border-bottom: 1px solid var(--ground); }
th:last-child, td:last-child { text-align: end; font-variant-numeric: tabular-nums; }
td form { display: inline; }
aside { max-width: 27rem; margin: 1.5rem auto 0; padding: 0 1rem; font-size: 0.875rem; }
aside ol { padding: 0; margin: 0; list-style: none; }
aside ol > li { padding: 0.375rem 0; border-top: 1px solid var(--line); overflow-wrap: anywhere; }
aside ul { margin: 0; padding-inline-start: 1.25rem; color: var(--faint); }
@media (min-width: 64rem) {
  body { display: grid; grid-template-columns: 27rem 24rem; gap: 3rem; align-items: start; justify-content: center; }
  main { width: 100%; }
  aside { margin: 0; max-height: calc(100vh - 5rem); overflow: auto; }
}
`

// Without it the panel is as old as its page. It asks once a second, and only while somebody looks.
const js = `const list = document.getElementById('activity')
let revision = ''
setInterval(async () => {
  if (document.hidden) return
  const response = await fetch('/activity?revision=' + revision).catch(() => undefined)
  if (response === undefined || response.status !== 200) return
  const news = await response.json()
  revision = news.revision
  list.innerHTML = news.html
}, 1000)
`

const logo = `<svg xmlns="http://www.w3.org/2000/svg" width="170" height="36" viewBox="0 0 170 36">
<style>text { font: 600 18px system-ui, sans-serif; fill: #17191c } @media (prefers-color-scheme: dark) { text { fill: #eceef1 } }</style>
<rect width="36" height="36" rx="9" fill="#0b6e4f"/>
<path d="M7 15 18 8l11 7v2H7zM9 19h3v7H9zm7.5 0h3v7h-3zm7.5 0h3v7h-3zM7 28h22v2H7z" fill="#fff"/>
<text x="46" y="24">Demo bank</text>
</svg>`

/** Logo, style and script of the bank. */
export function assetRoutes(): Router {
  const router = Router()
  const files = { '/demo.css': css, '/demo.js': js, '/logo.svg': logo }
  for (const [path, body] of Object.entries(files)) {
    router.get(path, (_req, res) => {
      res.type(path.slice(path.lastIndexOf('.'))).send(body)
    })
  }
  return router
}

/** What the panel does not show: itself, and what pages load. */
export function isAsset(path: string): boolean {
  return path === '/activity' || path === '/favicon.ico' || /\.(css|js|svg)$/.test(path)
}
