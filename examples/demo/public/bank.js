// Applies the switches of the demo page. Without this script the bank works in the colours of the system.
const switches = Object.fromEntries(document.cookie.split('; ').map((pair) => pair.split('=')))
document.documentElement.classList.toggle('framed', self !== top)

/** Sets light or dark colours, for the demo page only. A real page needs no such code. */
function applyLook(sheets) {
  if (switches.look !== 'light' && switches.look !== 'dark') return
  document.documentElement.style.colorScheme = switches.look
  const rules = [...sheets].flatMap(({ cssRules }) => [...cssRules])
  for (const { media } of rules) {
    if (media?.mediaText.includes('dark')) media.mediaText = switches.look === 'dark' ? 'all' : 'not all'
  }
}
applyLook(document.styleSheets)

/** Served by the routes of the package. */
const dialogScript = '/two-factor/dialog.js'

/** Asks for the code in a dialog if a guard requires one, and then replaces the page with the response. */
async function stepUp(url, init, goThere) {
  const { fetchWithCode } = await import(dialogScript)
  const dialog = () => document.querySelector('two-factor-dialog')?.shadowRoot
  const dressing = setInterval(() => applyLook(dialog()?.adoptedStyleSheets ?? []), 50)
  try {
    const response = await fetchWithCode(url, init)
    // No code could be sent, so the page shows the reason.
    if (!response.headers.get('content-type')?.startsWith('text/html')) return goThere()
    const page = new DOMParser().parseFromString(await response.text(), 'text/html')
    history.replaceState(null, '', response.url)
    document.title = page.title
    document.body.replaceWith(page.body)
    const heading = document.querySelector('h1')
    heading.tabIndex = -1
    heading.focus()
  } catch (error) {
    if (error.name !== 'AbortError') throw error
  } finally {
    clearInterval(dressing)
  }
}

if (switches.steps === 'dialog') {
  addEventListener('submit', (event) => {
    const form = event.target
    if (!form.matches('[data-step-up]')) return
    event.preventDefault()
    void stepUp(form.action, { method: 'POST', body: new URLSearchParams(new FormData(form)) }, () =>
      form.submit(),
    )
  })
  addEventListener('click', (event) => {
    const link = event.target.closest('a[data-step-up]')
    if (link === null) return
    event.preventDefault()
    void stepUp(link.href, {}, () => location.assign(link.href))
  })
}
