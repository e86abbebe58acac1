import { expect, it } from 'vitest'
import { startChallenged, startHost } from '../kit.js'

it('page.js is one script without dependencies that leaves nothing in the global scope', async () => {
  const host = await startHost()
  const file = await host.browser().get('/two-factor/page.js')
  expect(file.status).toBe(200)
  expect(file.text).toMatch(/^\(function\(\) ?\{/)
  expect(file.text).not.toMatch(/\bimport\b|\bexport\b|eval\(/)
})

it.each(['dialog.js', 'page.js'])('%s is kept by browsers, and asked for again by its tag', async (name) => {
  const host = await startHost()
  const { headers } = await host.browser().get(`/two-factor/${name}`)
  expect(headers.get('content-type')).toBe('text/javascript; charset=utf-8')
  expect(headers.get('cache-control')).toBe('private, max-age=3600')
  expect(headers.get('x-content-type-options')).toBe('nosniff')
  const again = { 'if-none-match': headers.get('etag') ?? '', 'cache-control': 'max-age=0' }
  expect((await host.browser().get(`/two-factor/${name}`, again)).status).toBe(304)
})

it('the screen comes with JSON only where the dialog asks for it', async () => {
  const { ana } = await startChallenged()
  const dialog = { accept: 'application/json;profile=dialog' }
  const shown = await ana.get('/two-factor', dialog)
  expect(shown.headers.get('content-type')).toBe('application/json; charset=utf-8')
  expect(shown.json.challenge).toMatchObject({ destination: '••••••67' })
  expect(shown.json.html).toContain('<h1>Check your phone</h1>')
  // Said by the script where the next request does not come through.
  expect(shown.json.html).toContain('Check your connection and try again.')
  expect(shown.json.html).not.toMatch(/<html|<script|<main|style=/)
  const wrong = await ana.post('/two-factor/verify', { code: '000000' }, dialog)
  expect(wrong.status).toBe(422)
  expect(wrong.headers.get('content-type')).toBe('application/problem+json')
  expect(wrong.json.html).toContain('That code is not right')
  expect((await ana.get('/two-factor')).json).not.toHaveProperty('html')
})
