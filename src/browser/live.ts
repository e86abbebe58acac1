/**
 * Updates a screen: shows times in the user's time zone, counts down the wait of the server, and announces once that
 * the wait is over or the code has expired. A screen reader reads the words of the server, because a countdown would
 * interrupt it every second.
 */
export function live(screen: ParentNode, signal?: AbortSignal): void {
  const find = (selector: string) => screen.querySelector<HTMLElement>(selector)
  const all = (selector: string) => screen.querySelectorAll<HTMLElement>(selector)
  const status = find('[role=status]')
  const say = (text: string | undefined) => {
    if (status !== null) status.textContent = text ?? ''
  }

  /** Uses the clock that has advanced further, because one may be set back and the other stops while a phone sleeps. */
  function every(ms: string | undefined, tick: (leftMs: number) => void): void {
    if (ms === undefined) return
    const [began, beganAt] = [performance.now(), Date.now()]
    const over = new AbortController()
    const end = () => over.abort()
    const run = () => {
      const leftMs = Number(ms) - Math.max(performance.now() - began, Date.now() - beganAt)
      if (leftMs <= 0) end()
      tick(leftMs)
    }
    const timer = setInterval(run, 1_000)
    over.signal.addEventListener('abort', () => clearInterval(timer))
    signal?.addEventListener('abort', end, { signal: over.signal })
    document.addEventListener('visibilitychange', run, { signal: over.signal })
    run()
  }

  for (const time of screen.querySelectorAll<HTMLTimeElement>('time[datetime]')) {
    const day = 'far' in time.dataset ? ({ day: 'numeric', month: 'short' } as const) : {}
    const lang = time.closest<HTMLElement>('[lang]')?.lang
    const clock = { ...day, hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const
    const date = new Date(time.dateTime)
    time.textContent = new Intl.DateTimeFormat(lang, clock).format(date)
    const phrase = time.closest<HTMLElement>('[data-at-one]')
    const { at, atOne } = phrase?.dataset ?? {}
    const [before = '', after = ''] = (date.getHours() === 1 ? atOne : at)?.split('{clock}') ?? []
    phrase?.replaceChildren(before, time, after)
  }

  for (const later of all('[data-after-ms]')) {
    every(later.dataset.afterMs, (leftMs) => {
      later.hidden = leftMs > 0
    })
  }

  const sentence = find('[data-lives-ms]')
  every(sentence?.dataset.livesMs, (leftMs) => {
    if (sentence === null || status === null || leftMs > 0) return
    sentence.hidden = true
    status.className = 'expired'
    say(status.dataset.expired)
  })

  for (const button of screen.querySelectorAll<HTMLButtonElement>('button[data-wait-ms]')) {
    every(button.dataset.waitMs, (leftMs) => {
      button.disabled = leftMs > 0
      button.classList.toggle('waits', leftMs > 0)
    })
  }

  const wait = find('p[data-wait-ms]')
  const clock = find('[data-clock]')
  if (wait === null || clock === null) return
  const words = clock.cloneNode(true) as HTMLElement
  words.className = 'unseen'
  clock.after(words)
  clock.ariaHidden = 'true'
  every(wait.dataset.waitMs, (leftMs) => {
    const seconds = Math.ceil(leftMs / 1_000)
    if (seconds <= 0) {
      wait.hidden = true
      say(status?.dataset.ready)
    } else if (seconds < 3_600) {
      clock.textContent = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`
    }
  })
}
