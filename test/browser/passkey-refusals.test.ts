import { expect, it } from 'vitest'
import { path } from '../account/kit.js'
import { describeInChromium } from './chromium.js'
import {
  addAuthenticator,
  addPasskey,
  clientIn,
  openWithAuthenticator,
  openWithPasskey,
  usePasskey,
} from './passkey-steps.js'

describeInChromium('a passkey of a browser', (browser) => {
  it('is refused for another challenge, amount or origin, as a copy, after its removal and a second time', async () => {
    const { host, page, table, moveTo } = await openWithPasskey(browser())
    const [stored] = [...table.values()]
    if (stored === undefined) throw new Error('there is no passkey')
    const { post, begin, verify } = clientIn(page)
    const [one, other] = [await begin(), await begin()]
    expect(await verify(one.challenge, other.passkey)).toBe(422)
    moveTo('http://acme.localhost')
    expect(await verify(one.challenge, one.passkey)).toBe(422)
    moveTo()
    table.set(stored.id, { ...stored, counter: 1_000 })
    expect(await verify(one.challenge, one.passkey)).toBe(422)
    expect(host.events).toContainEqual(expect.objectContaining({ type: 'passkey.copied', subject: 'ana' }))
    table.set('another', { ...stored, id: 'another' })
    table.delete(stored.id)
    expect(await verify(one.challenge, one.passkey)).toBe(422)
    table.set(stored.id, stored)
    expect(await verify(one.challenge, one.passkey)).toBe(200)
    expect(await verify(one.challenge, one.passkey)).not.toBe(200)

    const pay = (amount: string) => post('/pay', { amount, payee: 'Mum' })
    const five = await begin({ requirement: (await pay('5')).json.requirement })
    const nine = await begin({ requirement: (await pay('9')).json.requirement })
    expect(await verify(nine.challenge, five.passkey)).toBe(422)
    expect(await verify(five.challenge, five.passkey)).toBe(200)
    expect([(await pay('9')).status, (await pay('5')).status]).toEqual([403, 200])
  })

  it('is refused in another session, for another account and for another purpose', async () => {
    const { page, openBrowser, keys } = await openWithPasskey(browser())
    const ana = clientIn(page)
    const login = await ana.begin()

    // The same user after the password in another browser.
    const elsewhere = clientIn((await openBrowser('ana')).page)
    expect(await elsewhere.verify(login.challenge, login.passkey)).toBe(409)
    const own = (await elsewhere.post('/two-factor/start', {})).json.challenge.id
    expect(await elsewhere.verify(own, login.passkey)).toBe(422)

    const { page: hers } = await openBrowser('eve')
    await addPasskey(hers, { keys }, 'eve')
    const eve = clientIn(hers)
    const ofEve = await eve.begin()
    expect(await eve.verify(login.challenge, login.passkey)).toBe(410)
    // Ana's browser signs the challenge of Eve.
    const foreign = await ana.sign({ ...ofEve.publicKey, allowCredentials: [] })
    expect(await eve.verify(ofEve.challenge, foreign)).toBe(422)
    expect(await eve.verify(ofEve.challenge, ofEve.passkey)).toBe(200)

    const { requirement } = (await ana.get('/settings')).json
    const settings = await ana.begin({ requirement })
    expect(await ana.verify(settings.challenge, login.passkey)).toBe(422)
    expect(await ana.verify(login.challenge, settings.passkey)).toBe(422)
    expect(await ana.verify(settings.challenge, settings.passkey)).toBe(200)
    expect([(await ana.get('/settings')).status, (await ana.get('/account')).status]).toEqual([200, 403])
  })

  it('stays where it is the last factor, also if two tabs remove one each', async () => {
    const { page, origin, table, keys } = await openWithAuthenticator(browser(), 'eve')
    await page.goto(origin + path)
    await page.getByRole('button', { name: 'Add a passkey' }).click()
    await page.getByRole('button', { name: 'Create a passkey' }).click()
    // A first factor leads to recovery codes.
    await page.getByRole('link', { name: 'Not now' }).click()
    await page.waitForURL(origin + path)
    const [first = ''] = [...table.keys()]
    const remove = page.getByRole('button', { name: /^Remove/ })
    expect(await remove.count()).toBe(0)
    const second = await page.context().newPage()
    await addAuthenticator(second)
    await second.goto(origin)
    const forged = await clientIn(second).post(`${path}/passkeys/remove`, { passkey: first })
    expect([forged.status, forged.json.code]).toEqual([409, 'last_factor'])

    await addPasskey(second, { keys }, 'eve')
    await Promise.all([page.goto(origin + path), second.goto(origin + path)])
    await remove.first().click()
    await usePasskey(page).click()
    await page.getByText('was removed.').waitFor()
    await second
      .getByRole('button', { name: /^Remove/ })
      .last()
      .click()
    await second.getByText('This is your only way to sign in.').waitFor()
    expect(table.size).toBe(1)
    expect(table.has(first)).toBe(false)
  })
})
