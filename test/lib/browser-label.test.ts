import { expect, it } from 'vitest'
import { browserLabel } from '../../src/lib/browser-label.js'

const mozilla = 'Mozilla/5.0'
const webkit = 'AppleWebKit/537.36 (KHTML, like Gecko)'
const mac = `${mozilla} (Macintosh; Intel Mac OS X 10_15_7) ${webkit}`
const windows = `${mozilla} (Windows NT 10.0; Win64; x64) ${webkit}`

it.each([
  ['Firefox, Linux', `${mozilla} (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0`],
  [
    'Chrome, iPhone',
    `${mozilla} (iPhone; CPU iPhone OS 17_5 like Mac OS X) ${webkit} CriOS/128.0 Safari/604`,
  ],
  ['Chrome, ChromeOS', `${mozilla} (X11; CrOS x86_64 14541.0.0) ${webkit} Chrome/128.0.0.0 Safari/537.36`],
  ['Edge, Windows', `${windows} Chrome/128.0.0.0 Safari/537.36 Edg/128.0.0.0`],
  ['Opera, macOS', `${mac} Chrome/127.0.0.0 Safari/537.36 OPR/113.0.0.0`],
  [
    'Samsung Internet, Android',
    `${mozilla} (Linux; Android 14) SamsungBrowser/25.0 Chrome/121 Safari/537.36`,
  ],
  ['Safari, iPad', `${mozilla} (iPad; CPU OS 17_5 like Mac OS X) Version/17.5 Mobile/15E148 Safari/604.1`],
  ['Firefox', 'Firefox/128.0'],
  [undefined, 'curl/8.5.0'],
  [undefined, undefined],
])('a browser is called %s by its user agent', (label, agent) => {
  expect(browserLabel({ headers: { ...(agent !== undefined && { 'user-agent': agent }) } })).toBe(label)
})

it.each([
  ['Brave, Linux', '"Not)A;Brand";v="99", "Brave";v="127", "Chromium";v="127"', '"Linux"'],
  // What they do not say, the user agent does.
  ['Chrome, Windows', '"Not;A=Brand";v="24"', '"Unknown"'],
])('its client hints go before that: %s', (label, brands, platform) => {
  const agent = `${windows} Chrome/128.0.0.0 Safari/537.36`
  const hints = { 'sec-ch-ua': brands, 'sec-ch-ua-platform': platform }
  expect(browserLabel({ headers: { 'user-agent': agent, ...hints } })).toBe(label)
})

it('contains only names of a list, for any header', () => {
  const script = '<script>alert(1)</script> Firefox/1 Linux'
  const headers = { 'user-agent': script, 'sec-ch-ua': script, 'sec-ch-ua-platform': script }
  expect(browserLabel({ headers })).toBe('Firefox, Linux')
})
