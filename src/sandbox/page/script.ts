/**
 * What the inbox does in the browser beyond its forms: it shows changes without a reload, submits forms in
 * place, counts codes down and copies them. Plain JavaScript, because it is served as it is.
 */
export const inboxScript = `'use strict'
const main = document.getElementById('main')
const connectionState = document.getElementById('connection-state')
const refusal = document.getElementById('refusal')
const spoken = document.getElementById('spoken')
const search = document.getElementById('search')
const plainTitle = document.title
document.documentElement.classList.add('scripted')

// Live: the server sends the changing part whenever it looks different.
let stream
let retry
let viewChanged = false
let skewMs = Number(main.dataset.now) - Date.now()
function listen() {
  stream?.close()
  clearTimeout(retry)
  stream = new EventSource('/_sandbox/stream' + location.search)
  stream.onopen = () => { connectionState.hidden = true }
  stream.onmessage = ({ data }) => {
    const { now, markup } = JSON.parse(data)
    skewMs = now - Date.now()
    show(markup)
  }
  stream.onerror = () => {
    // After a refusal, unlike after silence, the browser does not try again by itself.
    const isRefused = stream.readyState === EventSource.CLOSED
    if (isRefused) retry = setTimeout(listen, 2000)
    connectionState.textContent = isRefused
      ? 'Too many pages are open. This one continues as soon as another is closed.'
      : 'The sandbox does not answer. This page continues as soon as it does.'
    connectionState.hidden = false
  }
}

function show(markup) {
  const next = document.createElement('main')
  next.append(...new DOMParser().parseFromString(markup, 'text/html').body.childNodes)
  for (const { name, value } of main.attributes) next.setAttribute(name, value)
  const known = new Set([...main.querySelectorAll('.card')].map((card) => card.id))
  const place = placeOf(document.activeElement)
  adapt(main, next)
  // What another search or page brings is not new.
  const fresh = viewChanged ? [] : [...main.querySelectorAll('.card')].filter((card) => !known.has(card.id))
  viewChanged = false
  for (const card of fresh) card.classList.add('arrived')
  if (fresh.length > 0) {
    speak(fresh.length === 1 ? fresh[0].dataset.spoken : fresh.length + ' new messages')
    countUnseen(fresh.length)
  }
  if (document.activeElement === document.body) place?.()
  countDown()
}

// Makes one element equal to another and leaves alone what is equal already: focus, open details and what
// is being typed stay.
function adapt(old, next) {
  if (old.isEqualNode(next)) return
  if (old.nodeType === Node.TEXT_NODE) {
    old.data = next.data
    return
  }
  for (const { name } of [...old.attributes]) {
    if (!next.hasAttribute(name) && name !== 'open') old.removeAttribute(name)
  }
  for (const { name, value } of next.attributes) old.setAttribute(name, value)
  const named = new Map([...old.children].filter(({ id }) => id).map((child) => [child.id, child]))
  let cursor = old.firstChild
  for (const child of [...next.childNodes]) {
    const twin = child.id ? named.get(child.id) : sameKind(cursor, child) ? cursor : undefined
    if (twin === undefined) {
      old.insertBefore(child, cursor)
      continue
    }
    if (twin === cursor) cursor = cursor.nextSibling
    else old.insertBefore(twin, cursor)
    adapt(twin, child)
  }
  while (cursor) {
    const gone = cursor
    cursor = cursor.nextSibling
    gone.remove()
  }
}

function sameKind(old, next) {
  return old?.nodeName === next.nodeName && !old.id
}

// Where the focus goes when the focused element is deleted: to the same place in the next card.
function placeOf(focused) {
  const card = focused?.closest('.card')
  const index = [...main.querySelectorAll('.card')].indexOf(card)
  if (!main.contains(focused)) return undefined
  return () => {
    const cards = main.querySelectorAll('.card')
    const next = index < 0 ? undefined : cards[Math.min(index, cards.length - 1)]
    const target = next?.querySelector('.card-foot form button') ?? document.getElementById('messages')
    target.focus()
  }
}

// The tab counts what arrived while it was hidden.
let unseen = 0
function countUnseen(count) {
  if (document.visibilityState === 'visible') return
  unseen += count
  document.title = '(' + unseen + ') ' + plainTitle
}
document.addEventListener('visibilitychange', () => {
  if (document.visibilityState !== 'visible') return
  unseen = 0
  document.title = plainTitle
  countDown()
})

function countDown() {
  if (document.visibilityState !== 'visible') return
  for (const element of main.querySelectorAll('[data-until]')) {
    const seconds = Math.max(0, Math.ceil((Number(element.dataset.until) - skewMs - Date.now()) / 1000))
    const minutes = Math.floor(seconds / 60)
    element.textContent = minutes + ':' + String(seconds % 60).padStart(2, '0') + ' left'
  }
}
setInterval(countDown, 1000)

function speak(text) {
  spoken.textContent = text
}

// Forms are submitted in place; without this script the browser submits them and the page comes back.
document.addEventListener('submit', async (event) => {
  const form = event.target
  if (form.method !== 'post') return
  event.preventDefault()
  const body = new URLSearchParams(new FormData(form, event.submitter))
  try {
    const response = await fetch(form.action, { method: 'POST', body, headers: { Accept: 'application/json' } })
    const { msg } = await response.json()
    if (!response.ok) return refuse(msg)
    refusal.hidden = true
    speak((event.submitter?.textContent ?? 'Done') + ': done')
  } catch {
    refuse('The sandbox does not answer.')
  }
})

function refuse(reason) {
  refusal.textContent = reason
  refusal.hidden = false
}

function go(url) {
  history.replaceState(null, '', url)
  viewChanged = true
  listen()
}

search.form.addEventListener('submit', (event) => event.preventDefault())
search.addEventListener('input', () => {
  const query = new URLSearchParams(location.search)
  query.delete('page')
  if (search.value === '') query.delete('q')
  else query.set('q', search.value)
  go('/?' + query)
})

document.addEventListener('click', async (event) => {
  const link = event.target.closest('a[data-view]')
  if (link !== null && !event.ctrlKey && !event.metaKey && !event.shiftKey) {
    event.preventDefault()
    return go(link.href)
  }
  const button = event.target.closest('[data-copy]')
  if (button === null) return
  try {
    await navigator.clipboard.writeText(button.dataset.copy)
    say(button, 'Copied')
  } catch {
    say(button, 'Not allowed')
  }
})

function say(button, text) {
  const label = button.dataset.label ?? button.textContent
  button.dataset.label = label
  speak(text)
  button.textContent = text
  setTimeout(() => { button.textContent = label }, 1500)
}

listen()
`
