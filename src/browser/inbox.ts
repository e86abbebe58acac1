// The inbox of the sandbox works with its forms only. This script shows changes without a reload, submits forms in
// place, counts codes down and copies them.

const main = byId('main')
const connectionState = byId('connection-state')
const refusal = byId('refusal')
const spoken = byId('spoken')
const search = byId('search') as HTMLInputElement
const plainTitle = document.title
document.documentElement.classList.add('scripted')

function byId(id: string): HTMLElement {
  const element = document.getElementById(id)
  if (element === null) throw new Error(`the page has no #${id}`)
  return element
}

const cards = () => [...main.querySelectorAll<HTMLElement>('.card')]

// The server sends the changing part when it looks different.
let stream: EventSource | undefined
let retry: ReturnType<typeof setTimeout> | undefined
let viewChanged = false
let skewMs = Number(main.dataset.now) - Date.now()

function listen(): void {
  stream?.close()
  clearTimeout(retry)
  const opened = new EventSource(`/_sandbox/stream${location.search}`)
  stream = opened
  opened.onopen = () => {
    connectionState.hidden = true
  }
  opened.onmessage = ({ data }) => {
    const { now, markup } = JSON.parse(data)
    skewMs = now - Date.now()
    show(markup)
  }
  opened.onerror = () => {
    // After a refusal, unlike after a lost connection, the browser does not reconnect.
    const isRefused = opened.readyState === EventSource.CLOSED
    if (isRefused) retry = setTimeout(listen, 2000)
    connectionState.textContent = isRefused
      ? 'Too many pages are open. This one continues as soon as another is closed.'
      : 'The sandbox does not respond. This page continues as soon as it does.'
    connectionState.hidden = false
  }
}

function show(markup: string): void {
  const next = document.createElement('main')
  next.append(...new DOMParser().parseFromString(markup, 'text/html').body.childNodes)
  for (const { name, value } of main.attributes) next.setAttribute(name, value)
  const known = new Set(cards().map(({ id }) => id))
  const place = placeOf(document.activeElement)
  adapt(main, next)
  // Messages of another search or page are not new.
  const fresh = viewChanged ? [] : cards().filter(({ id }) => !known.has(id))
  viewChanged = false
  for (const card of fresh) card.classList.add('arrived')
  if (fresh.length > 0) {
    speak(fresh.length === 1 ? (fresh[0]?.dataset.spoken ?? '') : `${fresh.length} new messages`)
    countUnseen(fresh.length)
  }
  if (document.activeElement === document.body) place?.()
  countDown()
}

/** Makes one node equal to another and changes only the differences. Focus, open details and typed text stay. */
function adapt(old: Node, next: Node): void {
  if (old.isEqualNode(next)) return
  if (old instanceof CharacterData && next instanceof CharacterData) {
    old.data = next.data
    return
  }
  if (!(old instanceof Element && next instanceof Element)) return
  for (const { name } of [...old.attributes]) {
    if (!next.hasAttribute(name) && name !== 'open') old.removeAttribute(name)
  }
  for (const { name, value } of next.attributes) old.setAttribute(name, value)
  const named = new Map([...old.children].filter(({ id }) => id !== '').map((child) => [child.id, child]))
  let cursor: ChildNode | null = old.firstChild
  for (const child of [...next.childNodes]) {
    const id = idOf(child)
    const twin = id !== '' ? named.get(id) : isSameKind(cursor, child) ? cursor : undefined
    if (twin == null) {
      old.insertBefore(child, cursor)
      continue
    }
    if (twin === cursor) cursor = cursor.nextSibling
    else old.insertBefore(twin, cursor)
    adapt(twin, child)
  }
  while (cursor !== null) {
    const gone = cursor
    cursor = cursor.nextSibling
    gone.remove()
  }
}

const idOf = (node: Node) => (node instanceof Element ? node.id : '')

function isSameKind(old: Node | null, next: Node): boolean {
  return old !== null && old.nodeName === next.nodeName && idOf(old) === ''
}

/**
 * Returns the element that gets the focus after the focused one was removed: after Delete, the Delete of the next card;
 * after any other, such as the Copy of an expired code, the heading of its card. Never a Delete from another element,
 * because the next key would press it.
 */
function placeOf(focused: Element | null): (() => void) | undefined {
  if (!main.contains(focused)) return undefined
  const card = focused?.closest<HTMLElement>('.card') ?? undefined
  const index = card === undefined ? -1 : cards().indexOf(card)
  const deletes = focused?.closest('.card-foot form') != null
  return () => {
    const left = cards()
    const next = index < 0 ? undefined : left[Math.min(index, left.length - 1)]
    const place = card?.isConnected ? card : next
    const target = place?.querySelector<HTMLElement>(deletes ? '.card-foot form button' : 'h3')
    ;(target ?? byId('messages')).focus()
  }
}

// The tab shows how many messages arrived while it was hidden.
let unseen = 0
function countUnseen(count: number): void {
  if (document.visibilityState === 'visible') return
  unseen += count
  document.title = `(${unseen}) ${plainTitle}`
}
document.addEventListener('visibilitychange', () => {
  if (document.visibilityState !== 'visible') return
  unseen = 0
  document.title = plainTitle
  countDown()
})

function countDown(): void {
  if (document.visibilityState !== 'visible') return
  for (const element of main.querySelectorAll<HTMLElement>('[data-until]')) {
    const seconds = Math.max(0, Math.ceil((Number(element.dataset.until) - skewMs - Date.now()) / 1000))
    element.textContent = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')} left`
  }
}
setInterval(countDown, 1000)

function speak(text: string): void {
  spoken.textContent = text
}

// Forms are submitted in place. Without this script, the browser submits them and loads a page.
document.addEventListener('submit', (event) => {
  const form = event.target
  if (!(form instanceof HTMLFormElement) || form.method !== 'post') return
  event.preventDefault()
  void submit(form, event.submitter)
})

async function submit(form: HTMLFormElement, submitter: HTMLElement | null): Promise<void> {
  const body = new URLSearchParams()
  for (const [name, value] of new FormData(form, submitter)) body.append(name, String(value))
  try {
    const response = await fetch(form.action, {
      method: 'POST',
      body,
      headers: { Accept: 'application/json' },
    })
    const { msg } = await response.json()
    if (!response.ok) return refuse(msg)
    refusal.hidden = true
    form.reset()
    speak(`${submitter?.textContent ?? 'Done'}: done`)
  } catch {
    refuse('The sandbox does not respond.')
  }
}

function refuse(reason: string): void {
  refusal.textContent = reason
  refusal.hidden = false
}

function go(url: string): void {
  history.replaceState(null, '', url)
  viewChanged = true
  listen()
}

search.form?.addEventListener('submit', (event) => event.preventDefault())
search.addEventListener('input', () => {
  const query = new URLSearchParams(location.search)
  query.delete('page')
  if (search.value === '') query.delete('q')
  else query.set('q', search.value)
  go(`/?${query}`)
})

document.addEventListener('click', (event) => {
  if (!(event.target instanceof Element)) return
  const link = event.target.closest<HTMLAnchorElement>('a[data-view]')
  if (link !== null && !event.ctrlKey && !event.metaKey && !event.shiftKey) {
    event.preventDefault()
    go(link.href)
    return
  }
  const button = event.target.closest<HTMLElement>('[data-copy]')
  if (button === null) return
  void copy(button.dataset.copy ?? '').then(
    () => say(button, 'Copied'),
    () => say(button, 'Not allowed'),
  )
})

/**
 * Copies a text. Rejects if the browser does not allow it, or has no clipboard because the page was loaded without TLS.
 */
async function copy(text: string): Promise<void> {
  await navigator.clipboard.writeText(text)
}

/** Shows on a button for a moment that it worked. */
function say(button: HTMLElement, text: string): void {
  const label = button.dataset.label ?? button.textContent ?? ''
  button.dataset.label = label
  speak(text)
  button.textContent = text
  setTimeout(() => {
    button.textContent = label
  }, 1500)
}

listen()
