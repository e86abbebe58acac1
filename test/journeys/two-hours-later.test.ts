import { describe, expect, it } from 'vitest'
import { memoryStore } from '../../src/index.js'
import { blocksOf, read, sectionOf } from '../documents.js'
import { startHost } from '../express/kit.js'

const firstSecret = 'a secret of thirty-two bytes or more'
const nextSecret = 'another secret, of thirty-two bytes too'

/** What adopters ask after two hours, in the order of `docs/README.md`, tried as its documents say. */
describe('two hours later, somebody', () => {
  it('changes a text, adds a language and makes the pages look like theirs', async () => {
    const host = await startHost({
      options: {
        pages: {
          messages: { en: { 'code.title': 'Check your messages' }, fr: { 'code.title': 'Votre code' } },
          brand: { name: 'Acme', accent: '#0b6e4f' },
        },
      },
    })
    const ana = await host.challenged()
    const page = await ana.open('/two-factor')
    expect(page.text).toContain('Check your messages')
    expect(page.text).toContain('Acme')
    const french = await ana.get('/two-factor', { accept: 'text/html', 'accept-language': 'fr' })
    expect(french.text).toContain('Votre code')
    expect((await ana.get('/two-factor/page.css')).text).toContain('--accent: #0b6e4f')
  })

  it('builds a front end by the JSON of docs/http.md', async () => {
    const host = await startHost()
    const ana = await host.signIn()
    const [challengeBlock = '{}'] = blocksOf(sectionOf(read('docs/http.md'), 'A challenge'), 'json')
    const [refusalBlock = '{}'] = blocksOf(sectionOf(read('docs/http.md'), 'A front end of your own'), 'json')

    const refused = await ana.post('/transfers', { amount: 5, payee: 'ben' })
    expect(Object.keys(refused.json).sort()).toEqual(Object.keys(JSON.parse(refusalBlock)).sort())
    const started = await ana.post(refused.json.startUrl, { requirement: refused.json.requirement })
    expect(Object.keys(started.json.challenge).sort()).toEqual(
      Object.keys(JSON.parse(challengeBlock).challenge).sort(),
    )
    const { verifyUrl } = started.json.challenge
    expect((await ana.post(verifyUrl, { code: host.stub.rightCode })).status).toBe(200)
    expect((await ana.post('/transfers', { amount: 5, payee: 'ben' })).status).toBe(200)
  })

  it('rotates the secret, in three steps', async () => {
    const store = memoryStore()
    const deployed = (secret: string | readonly string[]) =>
      startHost({ options: { store, secret, limits: { failuresBeforeLock: 2 } } })
    const before = await deployed(firstSecret)
    const ana = await before.challenged()
    for (const code of ['000001', '000002']) await ana.verify(code)
    const locked = { locked: true }
    const during = await deployed([nextSecret, firstSecret])
    expect(await during.tf.numbers.state('+573001234567')).toMatchObject(locked)
    const afterwards = await deployed(nextSecret)
    expect(await afterwards.tf.numbers.state('+573001234567')).toMatchObject({ locked: false })
  })
})
