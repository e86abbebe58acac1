import { showBusy, submitterOf } from './busy.js'
import { emptyInHistory, takeAddress } from './history.js'
import { offerToKeep } from './keep.js'
import { live } from './live.js'
import { takeFromDevice } from './one-time-code.js'

takeAddress(document)
emptyInHistory()

// The second click of a double click would make the browser drop the first response, and with it the cookie of the
// renewed session. A later one counts: the person has stopped the first, or it is stuck.
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
// The browser was told to stop.
addEventListener('pageshow', () => {
  sentAt = Number.NEGATIVE_INFINITY
  endBusy()
})
addEventListener('keydown', ({ key }) => {
  if (key === 'Escape') endBusy()
})

live(document)
offerToKeep(document)
// Nothing is left to confirm: the button is for browsers without scripts.
document.querySelector<HTMLFormElement>('[data-presses] form')?.requestSubmit()
takeFromDevice(document.querySelector('[autocomplete=one-time-code]'), leaving.signal)
