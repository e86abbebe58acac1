import { expect, it } from 'vitest'
import { path, startAccounts } from './kit.js'

it('the page of a new app still explains after a reload why its last code failed', async () => {
  const host = await startAccounts()
  const eve = await host.login('eve')
  await eve.open(`${path}/app`)
  const wrong = await eve.submit(`${path}/app`, { code: '000000' })
  expect(wrong.text).toContain('data-wrong="wrong"')
  const { status, text } = await eve.open(`${path}/app?wrong=wrong&reloaded=`)
  expect(status).toBe(200)
  expect(text).toContain('That code is not right')
  expect((await eve.open(`${path}/app?wrong=unreadable`)).text).toContain('role="alert"')
  expect((await eve.open(`${path}/app?wrong=other`)).text).not.toContain('role="alert"')
})

it.each(['/app?wrong=wrong&reloaded=', '/recovery-codes?reloaded=', '?reloaded='])(
  'a form that a browser posts again at %s changes nothing',
  async (address) => {
    const host = await startAccounts()
    const eve = await host.login('eve')
    const again = await eve.submit(path + address, { code: '000000' })
    expect([again.status, again.location]).toEqual([303, address.slice(address.indexOf('?'))])
    expect(host.told).toEqual([])
  },
)
