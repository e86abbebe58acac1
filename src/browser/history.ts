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
