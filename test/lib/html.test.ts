import { describe, expect, test } from 'vitest'
import { html, plainText } from '../../src/lib/html.js'

describe('html', () => {
  test('escapes every character that could end a text or a quoted attribute (XSS)', () => {
    expect(html`<p title="${`&<>"'`}">${'<script>'}</p>`.markup).toBe(
      '<p title="&amp;&lt;&gt;&quot;&#39;">&lt;script&gt;</p>',
    )
    expect(html`${'plain words, 100 %'}`.markup).toBe('plain words, 100 %')
  })

  test('inserts HTML unchanged, single or in a list', () => {
    expect(html`<ul>${html`<li>${'a & b'}</li>`}</ul>`.markup).toBe('<ul><li>a &amp; b</li></ul>')
    expect(html`<ul>${[html`<li>1</li>`, html`<li>2</li>`]}</ul>`.markup).toBe(
      '<ul><li>1</li><li>2</li></ul>',
    )
    expect(html`<ul>${[]}</ul>`.markup).toBe('<ul></ul>')
  })

  test('leaves nothing of undefined and false, and all of a number', () => {
    expect(html`[${undefined}${false}${0}${-1.5}]`.markup).toBe('[0-1.5]')
  })
})

describe('plain text', () => {
  test('is the visible text', () => {
    const page = html`<p class="note"><b>Tom</b> ${`& "Ann's" <3`}</p><br>`
    expect(plainText(page)).toBe(`Tom & "Ann's" <3`)
  })

  test('keeps unknown entities', () => {
    expect(plainText({ markup: '&nbsp;&amp;&#8212; 5 > 4 & 3;' })).toBe('&nbsp;&&#8212; 5 > 4 & 3;')
  })
})
