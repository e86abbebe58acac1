/**
 * What the inbox does in the browser beyond its forms: it shows what happened without a reload, sends forms
 * in place, and copies codes. Plain JavaScript, because it is served as it stands.
 */
export const inboxScript = `'use strict'
const main = document.getElementById('main')
const line = document.getElementById('line')
const spoken = document.getElementById('spoken')
const filter = document.getElementById('phone')
document.documentElement.classList.add('scripted')

// Live: the server sends the changing part whenever it looks different.
let stream
let refiltered = false
function listen() {
  stream?.close()
  stream = new EventSource('/_sandbox/stream' + location.search)
  stream.onopen = () => { line.hidden = true }
  stream.onmessage = ({ data }) => show(JSON.parse(data))
  stream.onerror = () => {
    line.textContent = 'The sandbox does not answer. This page goes on as soon as it does.'
    line.hidden = false
  }
}

function show(markup) {
  const next = document.createElement('main')
  next.append(...new DOMParser().parseFromString(markup, 'text/html').body.childNodes)
  const known = new Set([...main.querySelectorAll('.card')].map((card) => card.id))
  const place = placeOf(document.activeElement)
  adapt(main, next)
  // What another filter brings back is not new.
  const fresh = refiltered ? [] : [...main.querySelectorAll('.card')].filter((card) => !known.has(card.id))
  refiltered = false
  for (const card of fresh) card.classList.add('arrived')
  if (fresh.length > 0) speak(fresh.length === 1 ? fresh[0].dataset.spoken : fresh.length + ' new messages')
  if (document.activeElement === document.body) place?.()
}

// Makes one element like another, and leaves alone what is like it already: focus, open details and what
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

// Where the keyboard goes when the focused element is deleted: to the next card's same place.
function placeOf(focused) {
  const card = focused?.closest('.card')
  const index = [...main.querySelectorAll('.card')].indexOf(card)
  if (!main.contains(focused)) return undefined
  return () => {
    const cards = main.querySelectorAll('.card')
    const next = index < 0 ? undefined : cards[Math.min(index, cards.length - 1)]
    const target = next?.querySelector('.card-foot button') ?? document.getElementById('messages')
    target.focus()
  }
}

function speak(text) {
  spoken.textContent = text
}

// Forms are sent in place; without this script the browser sends them, and the page comes back.
document.addEventListener('submit', async (event) => {
  const form = event.target
  if (form.method !== 'post') return
  event.preventDefault()
  const body = new URLSearchParams(new FormData(form, event.submitter))
  try {
    const response = await fetch(form.action, { method: 'POST', body, headers: { Accept: 'application/json' } })
    const answer = await response.json()
    speak(response.ok ? (event.submitter?.textContent ?? 'Done') + ': done' : answer.msg)
  } catch {
    speak('The sandbox does not answer.')
  }
})

filter.form.addEventListener('submit', (event) => event.preventDefault())
filter.addEventListener('input', () => {
  const query = filter.value === '' ? '/' : '/?' + new URLSearchParams({ phone: filter.value })
  history.replaceState(null, '', query)
  refiltered = true
  listen()
})

document.addEventListener('click', async ({ target }) => {
  const button = target.closest('[data-copy]')
  if (button === null) return
  try {
    await navigator.clipboard.writeText(button.dataset.copy)
    say(button, 'Copied')
  } catch {
    say(button, 'Not allowed')
  }
})

function say(button, text) {
  speak(text)
  button.textContent = text
  setTimeout(() => { button.textContent = 'Copy' }, 1500)
}

listen()
`
