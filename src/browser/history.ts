/**
 * Replaces the address of a page that responds to a form with one that can be loaded with GET. Otherwise a reload would
 * post the form again. After the reload, the page still shows that the code was wrong.
 */
export function takeAddress(page: Document): void {
  const address = page.querySelector('main')?.dataset.address
  if (address === undefined) return
  const url = new URL(address, location.href)
  const wrong = page.querySelector<HTMLElement>('[data-wrong]')?.dataset.wrong
  if (wrong !== undefined) url.searchParams.set('wrong', wrong)
  // WebKit posts the form anyway. The server recognises the reload by this name, because the address may also accept
  // forms.
  if (url.pathname === location.pathname) url.searchParams.set('reloaded', '')
  history.replaceState(history.state, '', url)
}

/** Lets a link back show the form of the app as the user left it. In a tab of its own, the link opens the page anew. */
export function goBackBy(link: HTMLElement | null): void {
  link?.addEventListener('click', (event) => {
    if (history.length < 2 || event.ctrlKey || event.metaKey || event.shiftKey) return
    event.preventDefault()
    history.back()
  })
}

/**
 * Keeps secrets and finished steps out of the history. Chromium and WebKit keep a page in spite of `no-store` and show
 * it again after Back, even after a sign-out. The page removes its content when the user leaves it, and loads it from
 * the server when it is shown again.
 */
export function emptyInHistory(): void {
  addEventListener('pagehide', () => document.body.replaceChildren())
  addEventListener('pageshow', ({ persisted }) => {
    if (!persisted) return
    const [address = ''] = location.href.split('#')
    // Without a reload, for which WebKit would post the form again.
    location.replace(address)
  })
}
