import { showBusy, submitterOf } from './busy.js'
import { emptyInHistory, goBackBy, takeAddress } from './history.js'
import { offerToKeep } from './keep.js'
import { live } from './live.js'
import { takeFromDevice } from './one-time-code.js'
import { offerPasskey, reportPasskeys } from './passkey.js'

takeAddress(document)
emptyInHistory()
goBackBy(document.querySelector('[data-back]'))

// After the second click of a double click, the browser would drop the first response with the cookie of the renewed
// session. A later click counts, because the user has stopped the first request or it hangs.
const doubleClickMs = 1_000
let sentAt = Number.NEGATIVE_INFINITY
let endBusy = (): void => undefined
const leaving = new AbortController()

addEventListener('submit', (event) => {
  if (performance.now() - sentAt < doubleClickMs) {
    event.preventDefault()
    return
  }
  sentAt = performance.now()
  leaving.abort()
  endBusy()
  endBusy = showBusy(submitterOf(event))
})
// The user stopped the browser.
addEventListener('pageshow', () => {
  sentAt = Number.NEGATIVE_INFINITY
  endBusy()
})
addEventListener('keydown', ({ key }) => {
  if (key === 'Escape') endBusy()
})

live(document)
offerPasskey(document, leaving.signal)
void reportPasskeys(document)
offerToKeep(document)
// Nothing is left to confirm. The button is for browsers without scripts.
document.querySelector<HTMLFormElement>('[data-presses] form')?.requestSubmit()
takeFromDevice(document.querySelector('[autocomplete=one-time-code]'), leaving.signal)
