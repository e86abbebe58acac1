import { connect } from 'node:net'
import type { RequestHandler, Response } from 'express'
import { describe, expect, it } from 'vitest'
import { type Host, startChallenged, startHost, startLoggedIn } from './kit.js'

async function expectNothingSpent(host: Host, ana: Awaited<ReturnType<Host['login']>>): Promise<void> {
  expect(host.stub.checks).toEqual([])
  expect((await ana.get('/two-factor')).json.challenge.attemptsRemaining).toBe(5)
  expect(host.errors).toEqual([])
}

describe('a code in the wrong shape', () => {
  it.each<[string, unknown]>([
    ['missing', undefined],
    ['a number', 482913],
    ['an array', ['482913']],
    ['too short', '123'],
    ['too long', '12345678901'],
    ['numbers that are no digits', '四八二九一三'],
    ['a sign', '+482913'],
    ['two codes in two lines', '482913\n482914'],
    ['a zero byte', '482913\u0000'],
    ['two codes in one message', 'Use 482913 or 482914'],
    ['a message without a code', 'Your code is on its way'],
    ['a thousand spaces', `${' '.repeat(1_000)}482913`],
  ])('costs no attempt: %s', async (_name, code) => {
    const { host, ana } = await startChallenged()
    expect((await ana.verify(code)).refusal).toEqual([400, 'invalid_request'])
    await expectNothingSpent(host, ana)
  })

  it.each([
    ['dashes, dots, quotes and a tab', '\t“482–9.1-3 ”'],
    ['full-width digits and the end of a line', '４８２９１３\r\n'],
    ['Devanagari digits in a message', 'आपका कोड ४८२९१३ है'],
    ['a whole message', 'Your Acme code is 482913.\nIt expires in 10 minutes.'],
    ['a message that names it twice', '482-913 is your code\n\n@acme.example 482913'],
  ])('is removed from typed and pasted text: %s', async (_name, code) => {
    const { ana } = await startChallenged()
    expect((await ana.verify(code)).status).toBe(200)
  })
})

describe('a body in the wrong shape', () => {
  const json = 'application/json'
  const form = 'application/x-www-form-urlencoded'
  const statusOf = { invalid_request: 400, payload_too_large: 413, unsupported_media_type: 415 }

  it.each<[string, string, string, keyof typeof statusOf]>([
    ['an array', json, '[{"code":"482913"}]', 'invalid_request'],
    ['no JSON', json, '{"code":"482913"', 'invalid_request'],
    ['a prototype', json, '{"__proto__":{"code":"482913"}}', 'invalid_request'],
    ['a field twice', form, 'code=482913&code=482913', 'invalid_request'],
    ['a field as a list', form, 'code[]=482913', 'invalid_request'],
    ['plain text', 'text/plain', '{"code":"482913"}', 'unsupported_media_type'],
    ['the name of a member of every object', 'constructor', 'code=482913', 'unsupported_media_type'],
    ['an unknown charset', `${json}; charset=latin9`, '{"code":"482913"}', 'unsupported_media_type'],
    ['17 kB', json, JSON.stringify({ code: '4'.repeat(17_000) }), 'payload_too_large'],
    ['17 kB of form', form, `code=${'4'.repeat(17_000)}`, 'payload_too_large'],
  ])('costs no attempt: %s', async (_name, type, body, code) => {
    const { host, ana } = await startChallenged()
    const answer = await ana.postRaw('/two-factor/verify', type, body)
    expect(answer.refusal).toEqual([statusOf[code], code])
    await expectNothingSpent(host, ana)
  })

  it('is empty if the members are in the query', async () => {
    const { host, ana } = await startChallenged()
    expect((await ana.post('/two-factor/verify?code=482913')).status).toBe(400)
    expect((await ana.post('/two-factor/verify?code=482913', {})).status).toBe(400)
    await expectNothingSpent(host, ana)
  })

  const invalid = 'requirement is invalid or has expired.'
  it.each<[string, object, string]>([
    ['a list', ['login'], 'The body must be an object.'],
    ['an unknown purpose', { purpose: 'transfers' }, 'purpose is unknown.'],
    ['a purpose that is no text', { purpose: ['login'] }, 'purpose must be a single string.'],
    ['an unknown channel', { channel: 'fax' }, 'channel must be sms or call.'],
    ['a requirement that is no text', { requirement: {} }, 'requirement must be a single string.'],
    ['a requirement of nobody', { requirement: 'e30.AAAA' }, invalid],
  ])('starts nothing: %s', async (_name, body, detail) => {
    const { host, ana } = await startLoggedIn()
    expect(await ana.start(body)).toMatchObject({ status: 400, json: { code: 'invalid_request', detail } })
    expect(host.stub.sends).toEqual([])
    expect(host.errors).toEqual([])
  })

  it.each([1, 'yes', null])('costs no attempt when trustDevice is %j', async (trustDevice) => {
    const { host, ana } = await startChallenged()
    expect((await ana.verify('482913', { trustDevice })).status).toBe(400)
    await expectNothingSpent(host, ana)
  })

  it('is used as the app has parsed it, by any means', async () => {
    const { ana } = await startLoggedIn({
      mount: (app, tf) => {
        const parse: RequestHandler = (req, _res, next) => {
          req.resume().once('end', () => {
            req.body = { purpose: 'login', channel: 'call' }
            next()
          })
        }
        app.post('/begin', parse, tf.start())
      },
    })
    expect((await ana.post('/begin', { channel: 'sms' })).json.challenge.channel).toBe('call')
  })

  it('that the host has made unreadable is a mistake of the host, not of the visitor', async () => {
    const { ana } = await startLoggedIn({
      mount: (app, tf) => {
        const decode: RequestHandler = (req, _res, next) => {
          req.setEncoding('utf8')
          next()
        }
        app.post('/begin', decode, tf.start())
      },
    })
    expect((await ana.post('/begin', { channel: 'sms' })).json).toEqual({
      host: 'stream encoding should not be set',
    })
  })

  it('whose framing broke before it was read is 400, and no mistake of the host', async () => {
    const responses: Response[] = []
    const host = await startHost({
      routes: (app, tf) => {
        // As a session store over a network: the parser of Node is done with the request before it is read.
        const late: RequestHandler = (req, res, next) => {
          responses.push(res)
          req.once('close', next)
        }
        app.use('/two-factor', late, tf.routes())
      },
    })
    const head = 'POST /two-factor/verify HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n'
    const brokenChunk = 'Transfer-Encoding: chunked\r\n\r\nnot a length\r\n{}\r\n0\r\n\r\n'
    for (const broken of [brokenChunk, 'Content-Length: 20\r\n\r\n{}']) {
      connect(Number(new URL(host.url).port), '127.0.0.1')
        .end(head + broken)
        .resume()
    }
    await expect.poll(() => responses.map(({ statusCode }) => statusCode)).toEqual([400, 400])
    expect(host.errors).toEqual([])
  })

  it('is read if it arrives in parts without a length', async () => {
    const { host, ana } = await startChallenged()
    const sent = ana.request('POST', '/two-factor/verify').type('Application/JSON ; charset=utf-8')
    const { id } = (await ana.get('/two-factor')).json.challenge
    for (const piece of [`{"challenge":"${id}","code":`, `"${host.stub.rightCode}"}`]) sent.write(piece)
    expect((await sent).status).toBe(200)
  })

  it('may contain empty fields', async () => {
    const { host, ana } = await startLoggedIn()
    const empty = { requirement: '', purpose: '', channel: '', returnTo: '' }
    const started = await ana.submit('/two-factor/start', empty)
    expect([started.status, started.location]).toEqual([303, '/two-factor'])
    const { rightCode: code } = host.stub
    const right = await ana.submit('/two-factor/verify', { ...empty, trustDevice: '', code })
    expect([right.status, right.location]).toEqual([303, '/'])
  })

  it('may hold members that are not ours', async () => {
    const { host, ana } = await startLoggedIn()
    const body = { password: 'secret', phone: '+573009999999', subject: 'ben', code: 1 }
    expect((await ana.start(body)).status).toBe(201)
    expect(host.stub.sends.map(({ form }) => form.phone)).toEqual(['573001234567'])
  })
})

describe('a number on file that takes no code', () => {
  it('is none where it is empty', async () => {
    const { ana } = await startLoggedIn({ options: { phone: () => '' } })
    expect((await ana.start()).refusal).toEqual([409, 'no_phone'])
  })

  it.each<[string, unknown, string]>([
    ['a number', 573001234567, 'number'],
    ['false', false, 'boolean'],
  ])('is a mistake of the host: %s', async (_name, phone, type) => {
    const { host, ana } = await startLoggedIn({ options: { phone: () => phone as string } })
    expect((await ana.start()).status).toBe(500)
    expect(host.errors).toEqual([expect.any(TypeError)])
    expect(String(host.errors[0])).toContain(`phone returned a value of type ${type}`)
    expect(String(host.errors[0])).not.toContain('3001234567')
    expect(host.stub.sends).toEqual([])
  })
})

describe('the box "trust this browser"', () => {
  it.each<[unknown, number]>([
    [true, 1],
    ['true', 1],
    ['on', 1],
    ['false', 0],
    ['', 0],
    [undefined, 0],
  ])('sent as %j leaves so many trusted devices: %i', async (trustDevice, count) => {
    const { host, ana } = await startLoggedIn({ options: { trustedDevices: { maxAgeMs: 60_000 } } })
    expect((await host.confirm(ana, {}, { trustDevice })).status).toBe(200)
    expect(await host.tf.trustedDevices.list('ana')).toHaveLength(count)
  })
})
