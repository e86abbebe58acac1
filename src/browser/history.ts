/**
 * Gives a page that responds to a form the address of a page that is got: a reload of its own would post the form again.
 * A page with a wrong code says so after the reload, too.
 */
export function takeAddress(page: Document): void {
  const address = page.querySelector('main')?.dataset.address
  if (address === undefined) return
  const url = new URL(address, location.href)
  const wrong = page.querySelector<HTMLElement>('[data-wrong]')?.dataset.wrong
  if (wrong !== undefined) url.searchParams.set('wrong', wrong)
  // WebKit posts the form all the same. Where forms are taken at this address too, the server must know this one.
  if (url.pathname === location.pathname) url.searchParams.set('reloaded', '')
  history.replaceState(history.state, '', url)
}

/**
 * Keeps secrets and finished steps out of the history. Chromium and WebKit keep a page that a person leaves, in spite of
 * `no-store`, and show it again by Back, after a sign-out too. The page gives up its content when it is left, and asks
 * the server when it is shown again.
 */
export function emptyInHistory(): void {
  addEventListener('pagehide', () => document.body.replaceChildren())
  addEventListener('pageshow', ({ persisted }) => {
    if (!persisted) return
    const [address = ''] = location.href.split('#')
    // Not by a reload: WebKit would post the form again.
    location.replace(address)
  })
}
