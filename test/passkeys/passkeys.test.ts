import * as webauthn from '@simplewebauthn/server'
import { describe, expect, it } from 'vitest'
import { passkeys } from '../../src/passkeys/index.js'
import { hearWarnings } from '../express/kit.js'
import { createAuthenticator } from './authenticator.js'
import { createPasskeys, origin, passkeysOptions } from './kit.js'

const challenge = 'a-challenge-of-thirty-two-bytes'
const rp = { id: 'acme.example' }
const warned = hearWarnings()

describe('a new passkey', () => {
  it('is created with user verification, for a handle without personal data, and never twice', async () => {
    const { keys, give } = createPasskeys()
    const { id } = await give('ana@example.com')
    const made = await keys.creationOptions('ana@example.com', { challenge, account: 'Ana' })
    expect(made).toMatchObject({
      challenge,
      rp: { id: 'acme.example', name: 'Acme' },
      user: { id: expect.stringMatching(/^[\w-]{43}$/), name: 'Ana', displayName: 'Ana' },
      pubKeyCredParams: [-8, -7, -257].map((alg) => ({ type: 'public-key', alg })),
      excludeCredentials: [{ type: 'public-key', id, transports: ['internal'] }],
      authenticatorSelection: { residentKey: 'preferred', userVerification: 'required' },
      attestation: 'none',
    })
    expect(JSON.stringify(made)).not.toContain('ana@')
  })

  it('is saved as JSON, with its name', async () => {
    const { keys } = createPasskeys()
    const response = createAuthenticator(origin).create({ challenge, rp })
    const made = await keys.create('ana', { challenge, response, label: `  Phone ${'x'.repeat(100)}` })
    expect(made).toMatchObject({ id: response.id, counter: 0, transports: ['internal'] })
    expect(made?.label).toHaveLength(60)
    expect(await keys.list('ana')).toEqual([
      JSON.parse(JSON.stringify({ ...made, usedAt: null, subject: 'ana' })),
    ])
    expect(await keys.list('ben')).toEqual([])
  })

  it('answers this challenge, on this site, verified by its user', async () => {
    const { keys, table } = createPasskeys()
    const authenticator = createAuthenticator(origin)
    const create = (deviation: Parameters<typeof authenticator.create>[1], of = challenge) =>
      authenticator.create({ challenge: of, rp }, deviation)
    const wrong = [
      create({}, 'another'),
      create({ origin: 'https://evil.example' }),
      create({ rpId: 'evil.example' }),
      create({ isVerified: false }),
      authenticator.sign({ challenge, rpId: rp.id }),
      {},
      undefined,
    ]
    for (const response of wrong) {
      expect(await keys.create('ana', { challenge, response, label: 'Phone' })).toBeUndefined()
    }
    expect(table.size).toBe(0)
  })

  it('warns once if its page has another origin than the option, and of no other mistake', async () => {
    const { keys } = createPasskeys()
    const give = async (deviation: object) => {
      const response = createAuthenticator(origin).create({ challenge, rp }, deviation)
      await keys.create('ana', { challenge, response, label: 'Phone' })
    }
    await give({ isVerified: false })
    await give({ origin: 'not an origin' })
    expect(await keys.create('ana', { challenge, response: undefined, label: 'Phone' })).toBeUndefined()
    expect(await warned.codes()).toEqual([])
    for (let time = 0; time < 2; time += 1) await give({ origin: 'http://localhost:3000' })
    expect(await warned.codes()).toEqual(['TWO_FACTOR_PASSKEY_ORIGIN'])
    expect(warned.said[0]?.message).toContain('add its origin. (http://localhost:3000)')
  })

  it('brings no certificate, whose URLs the server would fetch', async () => {
    let checks = 0
    const counting: typeof webauthn.verifyRegistrationResponse = (options) => {
      checks += 1
      return webauthn.verifyRegistrationResponse(options)
    }
    const { keys } = createPasskeys({ webauthn: { ...webauthn, verifyRegistrationResponse: counting } })
    const made = createAuthenticator(origin).create({ challenge, rp })
    const { attestationObject: right } = Object(made.response)
    const cbor = (text: string) => Buffer.from(text, 'latin1').toString('base64url')
    for (const attestationObject of [
      cbor('\xa3cfmtfpackedgattStmt\xa3calg'),
      cbor('\xa3cfmteapplegattStmt\xa1cx5c'),
      cbor('\xa3gattStmt\xa0cfmtdnone'),
      cbor(''),
      7,
      // Some decoders skip what others read as a zero, and would see another format behind it.
      `!${right}`,
      `${right}+`,
      [right],
    ]) {
      const response = { ...made, response: { ...made.response, attestationObject } }
      expect(await keys.create('ana', { challenge, response, label: 'Phone' })).toBeUndefined()
    }
    expect(checks).toBe(0)
    expect(await keys.create('ana', { challenge, response: made, label: 'Phone' })).toBeDefined()
    expect(checks).toBe(1)
  })

  it('replaces neither a passkey of another account nor the counter of its own', async () => {
    const { keys, table } = createPasskeys()
    const authenticator = createAuthenticator(origin)
    const create = (subject: string) =>
      keys.create(subject, { challenge, response: authenticator.create({ challenge, rp }), label: 'Phone' })
    await create('ana')
    table.set(authenticator.id, { ...Object(table.get(authenticator.id)), counter: 9 })
    expect([await create('ben'), await create('ana')]).toEqual([undefined, undefined])
    expect(table.get(authenticator.id)).toMatchObject({ subject: 'ana', counter: 9 })
  })

  it('keeps only transports that browsers know', async () => {
    const { keys } = createPasskeys()
    for (const [transports, kept] of [
      ['usb', []],
      [
        ['usb', 1, 'nfc'],
        ['usb', 'nfc'],
      ],
      [undefined, []],
    ] as const) {
      const made = createAuthenticator(origin).create({ challenge, rp })
      const response = { ...made, response: { ...made.response, transports } }
      const saved = await keys.create('ana', { challenge, response, label: 'Key' })
      expect(saved?.transports).toEqual(kept)
    }
  })
})

describe('a saved passkey', () => {
  it('gets another name and is removed by its own account only', async () => {
    const { keys, table, give } = createPasskeys()
    const { id } = await give('ana')
    expect(await keys.rename('ben', id, 'Mine')).toBe(false)
    expect(await keys.rename('ana', id, ' Work phone ')).toBe(true)
    expect(table.get(id)).toMatchObject({ label: 'Work phone', subject: 'ana' })
    // One line that every database stores.
    for (const [typed, label] of [
      ['Phone\r\nBcc: x@y.example\0', 'PhoneBcc: x@y.example'],
      [`${'a'.repeat(59)}😀`, 'a'.repeat(59)],
    ] as const) {
      await keys.rename('ana', id, typed)
      expect(table.get(id)).toMatchObject({ label })
    }
    expect(await keys.remove('ben', id)).toBe(false)
    expect(table.size).toBe(1)
    expect(await keys.remove('ana', id)).toBe(true)
    expect(await keys.list('ana')).toEqual([])
    expect(await keys.rename('ana', id, 'Phone')).toBe(false)
    expect(await keys.list('ana')).toEqual([])
  })

  it('does not come back if other processes rename it while it is removed', async () => {
    const { keys, table, give } = createPasskeys()
    const { id } = await give('ana')
    const rename = () => keys.rename('ana', id, 'Phone')
    const renamed = [rename(), rename()]
    await Promise.all([...renamed, keys.remove('ana', id), rename(), rename()])
    expect(table.size).toBe(0)
  })

  it.each([
    ['no list', undefined],
    ['no id', [{ publicKey: 'a', counter: 0, transports: [], label: '' }]],
    ['a key as bytes', [{ id: 'a', publicKey: Uint8Array.of(1), counter: 0, transports: [], label: '' }]],
    ['a counter as text', [{ id: 'a', publicKey: 'a', counter: '0', transports: [], label: '' }]],
    ['a counter below zero', [{ id: 'a', publicKey: 'a', counter: -1, transports: [], label: '' }]],
    ['no transports', [{ id: 'a', publicKey: 'a', counter: 0, label: '' }]],
  ])('is refused with %s', async (_what, stored) => {
    const { keys } = createPasskeys({ list: () => stored as never })
    await expect(keys.signerOf('ana')).rejects.toThrow('passkeys: list must return a list of passkeys')
  })
})

describe('the options', () => {
  it('report a missing one with the line to paste', () => {
    expect(() => passkeys({} as never)).toThrow(
      "missing webauthn, rpName, origin, list, save, rename, remove, used; add\n  webauthn: webauthn, // import * as webauthn from '@simplewebauthn/server'",
    )
  })

  it.each([
    [{ webauthn: {} }, 'webauthn must be the package @simplewebauthn/server'],
    [{ rpName: '' }, 'rpName must be a non-empty string'],
    [{ origin: 'acme.example' }, 'passkeys: origin must be an origin without a path'],
    [{ origin: 'https://acme.example/login' }, 'must be an origin without a path'],
    [{ origin: [] }, 'origin must be an origin, or list at least one'],
    [{ origin: [origin, 'https://acme.test'] }, 'acme.test is not in the domain "acme.example"'],
    [{ origin: 'http://127.0.0.1:3000' }, 'at an IP address; on your machine, open http://localhost:3000'],
    [{ origin: [origin, 'https://[::1]:3000'] }, 'at an IP address; on your machine, open https://localhost'],
    [{ origin: 'https://10.0.0.1', rpId: '0.1' }, 'passkeys: origin: browsers create no passkeys at'],
    [{ rpId: 'cme.example' }, 'acme.example is not in the domain "cme.example"'],
    [{ used: undefined }, 'missing used'],
    [{ misspelt: 1 }, 'unknown option "misspelt"'],
  ])('refuse %j', (change, message) => {
    expect(() => passkeys({ ...passkeysOptions, ...change } as never)).toThrow(message)
  })

  it('take several origins of one domain', async () => {
    const origins = ['https://www.acme.example', 'HTTPS://app.acme.example:443']
    const { keys, give } = createPasskeys({ origin: origins, rpId: 'acme.example' })
    const authenticator = await give('ana', { origin: 'https://app.acme.example' })
    const signer = await keys.signerOf('ana')
    const response = authenticator.sign({ challenge, rpId: 'acme.example' })
    expect(await signer?.verify(challenge, response)).toMatchObject({ result: 'approved' })
  })
})
