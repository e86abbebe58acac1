import { live } from './live.js'

// Sends one form once: on a double click the browser drops the first response, and with it the cookie of the
// renewed session.
let sent = false
addEventListener('submit', (event) => {
  if (sent) event.preventDefault()
  sent = true
})
addEventListener('pageshow', () => {
  sent = false
})

live(document)
