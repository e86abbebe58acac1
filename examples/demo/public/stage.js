// The demo page: the bank in a frame, beside the messages, requests and guesses that the server reports.
const find = (selector) => document.querySelector(selector)
const frame = find('iframe')

/** Creates an element with its class and content. A text is never read as HTML. */
function element(tag, className, ...content) {
  const made = document.createElement(tag)
  made.className = className
  made.append(...content)
  return made
}

// The next step, for each page of the bank.
const first = find('h1').innerHTML
const headlines = {
  login: first,
  signup: 'Type a number, then tap the code that arrives on the phone.',
}
const tap = 'Tap the code that arrives on the phone'

function showHeadline() {
  const { contentDocument: page, contentWindow } = frame
  const [, part] = contentWindow.location.pathname.split('/')
  const field = codeFieldOf(page)
  // The page submits a code if all codes have one length and the page shows no details to read first.
  const isSent = Number(field?.dataset.submits) > 0
  const headline = headlines[part] ?? 'Now try one of these, or whatever the bank offers.'
  const shown = field?.id === 'code' ? `${tap}${isSent ? '.' : ', then press Continue.'}` : headline
  // A screen reader reads each change.
  if (find('h1').innerHTML !== shown) find('h1').innerHTML = shown
}
frame.addEventListener('load', showHeadline)

// After a click in the frame, browsers ignore the autofocus of its next page.
frame.addEventListener('load', () => {
  if (document.activeElement === frame) frame.contentDocument.querySelector('[autofocus]')?.focus()
})

// ── switches: cookies, because the server makes the pages ────────────────────────────────────────

const chosen = Object.fromEntries(document.cookie.split('; ').map((pair) => pair.split('=')))
const look = find('[name=look]')
const applyLook = () => {
  document.documentElement.style.colorScheme = look.value === 'system' ? 'light dark' : look.value
}
for (const select of document.querySelectorAll('#switches select')) {
  if (select.name in chosen) select.value = chosen[select.name]
  select.addEventListener('change', async () => {
    // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API needs HTTPS or localhost, and a browser of 2025
    document.cookie = `${select.name}=${select.value}; path=/; samesite=lax`
    applyLook()
    // Otherwise the browser keeps the style of the last brand.
    await fetch('/two-factor/page.css', { cache: 'reload' })
    frame.contentWindow.location.replace(frame.contentWindow.location.href)
  })
}
applyLook()

// ── the phone that gets the codes ────────────────────────────────────────────────────────────────

/** Returns the field on the page of the bank or in its dialog. */
function codeFieldOf(page) {
  const dialog = page.querySelector('two-factor-dialog')?.shadowRoot
  const selector = '[autocomplete=one-time-code]'
  return dialog?.querySelector(selector) ?? page.querySelector(selector)
}

/** Fills in the code, as a phone does after a tap above the keyboard. */
function fillIn(code) {
  const field = codeFieldOf(frame.contentDocument)
  if (field === null) return
  field.value = code
  field.dispatchEvent(new Event('input', { bubbles: true }))
  frame.contentWindow.focus()
  field.focus({ preventScroll: true })
  field.scrollIntoView({ block: 'nearest' })
}

function messageItem({ channel, text, code, codeState = 'live', phone, appName }) {
  const from = element('span', 'from', appName ?? 'Demo bank', element('small', '', `to ${phone}`))
  const words = element('span', 'text', channel === 'call' ? `Call: “${text}”` : text)
  const item = element('li', channel)
  if (code !== undefined && codeState === 'live') {
    const tap = element('button', 'bubble', from, words, element('span', 'tap', `Fill in ${code}`))
    tap.addEventListener('click', () => fillIn(code))
    item.append(tap)
  } else {
    const became = code === undefined ? '' : element('span', '', `${code}: ${codeState}`)
    item.append(element('div', 'bubble', from, words, became))
  }
  return item
}

// ── activity of the server ────────────────────────────────────────────────────────────────────────

function activityItem({ sentence, request, answer, steps, times }) {
  const summary = element('summary', '', sentence)
  if (times > 1) summary.append(element('b', '', ` × ${times}`))
  const head = element('p', '', element('code', '', request), ` ${answer}`)
  const parts = steps.map(({ by, text }) => element('li', by, element('b', '', by), ` ${text}`))
  const item = element('details', '', summary, head, element('ol', '', ...parts))
  return element('li', '', item)
}

/** Adds new elements at the top and does not touch the rest, which may have the focus. */
function update(list, things, keyOf, itemOf) {
  const old = new Map([...list.children].map((item) => [item.dataset.key, item]))
  const items = things.map((thing) => {
    const key = keyOf(thing)
    const item = old.get(key) ?? itemOf(thing)
    item.dataset.key = key
    return item
  })
  for (const item of old.values()) if (!items.includes(item)) item.remove()
  items.forEach((item, index) => {
    if (list.children[index] !== item) list.insertBefore(item, list.children[index] ?? null)
  })
}

// The element scrolls, also by keyboard.
find('#activity').tabIndex = 0
find('#dots').append(...Array.from({ length: 1_000 }, () => element('i', '')))

function showGuesses(
  { dots, reached, digits, ms },
  { attemptsPerChallenge, failuresBeforeLock, lockMs, failuresBeforeDisable },
) {
  const names = { x: 'checked', '.': 'refused' }
  ;[...find('#dots').children].forEach((dot, index) => {
    dot.className = names[dots[index]] ?? ''
  })
  if (dots.length === 1_000) {
    find('#score').textContent = `${reached} of 1,000 guesses were checked, in ${(ms / 1_000).toFixed(1)} s.`
  }
  const rows = {
    'Wrong codes for each code sent': attemptsPerChallenge,
    'Chance that one of them is right':
      digits === undefined ? '' : `1 in ${(10 ** digits / attemptsPerChallenge).toLocaleString('en')}`,
    [`Wrong codes until a pause of ${lockMs} or more`]: failuresBeforeLock,
    'Wrong codes until codes are turned off for the account': failuresBeforeDisable,
  }
  const known = Object.entries(rows).filter(([, value]) => value !== '')
  find('#bound').replaceChildren(
    ...known.map(([name, value]) => element('div', '', element('dt', '', name), element('dd', '', value))),
  )
}

new EventSource('/stage/events').onmessage = ({ data }) => {
  const { limits, messages, activity, guesses } = JSON.parse(data)
  const [newest] = find('#messages').children
  update(find('#messages'), messages, ({ id, codeState }) => `${id} ${codeState}`, messageItem)
  // Browsers would keep an older message in view.
  if (find('#messages').firstElementChild !== newest) find('.screen').scrollTop = 0
  update(find('#activity'), activity, ({ id, times }) => `${id} ${times}`, activityItem)
  showGuesses(guesses, limits)
  showHeadline()
}

// A second click starts no second attack, because the server runs only one at a time.
find('#guesses form').addEventListener('submit', (event) => {
  event.preventDefault()
  find('#score').textContent = ''
  void fetch('/guesses', { method: 'POST' })
})

// On a small screen the activity is folded, so that the code stays beside the bank.
if (matchMedia('(width < 64rem)').matches) find('.behind details').open = false
else find('#switches').open = true
