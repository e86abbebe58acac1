// Sends one form once: on a double click the browser drops the first answer, and with it the cookie of
// the renewed session. Shows the wait that the server holds, and says once that it is over. A voice
// reads the words of the server: a clock that ticks would interrupt it every second.
export const js = `let sent = false
addEventListener('submit', (event) => {
  if (sent) event.preventDefault()
  sent = true
})
addEventListener('pageshow', () => { sent = false })

const after = (ms, act) => {
  const end = performance.now() + Number(ms)
  const timer = setInterval(() => {
    if (performance.now() < end) return
    clearInterval(timer)
    act()
  }, 1000)
}

const status = document.querySelector('[role=status]')
const { lang } = document.documentElement
for (const time of document.querySelectorAll('time[datetime]')) {
  const day = 'far' in time.dataset ? { day: 'numeric', month: 'short' } : {}
  const clock = { ...day, hour: '2-digit', minute: '2-digit', hourCycle: 'h23' }
  time.textContent = new Intl.DateTimeFormat(lang, clock).format(new Date(time.dateTime))
}

for (const later of document.querySelectorAll('[data-after-ms]')) {
  after(later.dataset.afterMs, () => { later.hidden = false })
}

const sentence = document.querySelector('[data-lives-ms]')
if (sentence) {
  after(sentence.dataset.livesMs, () => {
    sentence.hidden = true
    status.className = 'expired'
    status.textContent = status.dataset.expired
  })
}

const wait = document.querySelector('[data-wait-ms]')
if (wait) {
  const clock = wait.querySelector('[data-clock]')
  const buttons = document.querySelectorAll('[data-waits]')
  const end = performance.now() + Number(wait.dataset.waitMs)

  const words = clock.cloneNode(true)
  words.className = 'unseen'
  clock.after(words)
  clock.setAttribute('aria-hidden', 'true')
  for (const button of buttons) button.disabled = true

  const tick = () => {
    const seconds = Math.ceil((end - performance.now()) / 1000)
    if (seconds <= 0) {
      clearInterval(timer)
      wait.hidden = true
      for (const button of buttons) button.disabled = false
      status.textContent = status.dataset.ready
    } else if (seconds < 3600) {
      clock.textContent = Math.floor(seconds / 60) + ':' + String(seconds % 60).padStart(2, '0')
    }
  }
  const timer = setInterval(tick, 1000)
  tick()
}
`
