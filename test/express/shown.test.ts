import { describe, expect, it } from 'vitest'
import { type Browser, hiddenFields } from './browser.js'
import { describedTransfers, mallory, mum } from './described-transfers.js'
import {
  type Host,
  type HostOptions,
  sessionIdOf,
  signupAt,
  startHost,
  startSignedIn,
  startVisit,
} from './kit.js'

const minute = 60_000

async function startPayHost(given: HostOptions = {}): Promise<{ host: Host; ana: Browser }> {
  const host = await startHost({ ...given, mount: describedTransfers })
  return { host, ana: await host.login() }
}

/** What the page says that the code is for: its rows and its challenge. */
function shownOn(page: string) {
  const values = page.matchAll(/<dd><bdi>([^<]*)<\/bdi>/g)
  return { rows: [...values].map(([, value]) => value), ...hiddenFields(page) }
}

it('a code for a transfer that was replaced pays nothing and uses no attempt, for any names in the request', async () => {
  const { host, ana } = await startPayHost()
  const { requirement } = (await ana.post('/pay', mum)).json
  const { id } = (await ana.start({ requirement })).json.challenge
  host.clock.now += minute
  const { requirement: other } = (await ana.post('/pay', mallory)).json
  const second = await ana.start({ requirement: other })
  const code = host.stub.rightCode

  for (const [shown, ...refusal] of [
    [{ challenge: id }, 409, 'challenge_superseded'],
    [{ requirement }, 409, 'challenge_superseded'],
    [{ purpose: 'settings' }, 409, 'challenge_superseded'],
    [{ challenge: id, requirement: other }, 409, 'challenge_superseded'],
    // An empty member is none.
    [{ challenge: '' }, 400, 'invalid_request'],
    [{ challenge: [id] }, 400, 'invalid_request'],
    [{ requirement: 'x' }, 400, 'invalid_request'],
    [{ requirement: other, purpose: 'settings' }, 400, 'invalid_request'],
    [{ purpose: 'nothing' }, 400, 'invalid_request'],
  ] as const) {
    for (const action of ['verify', 'resend']) {
      const told = await ana.post(`/two-factor/${action}`, { code, ...shown })
      expect([shown, action, ...told.refusal]).toEqual([shown, action, ...refusal])
    }
  }
  expect([host.stub.sends.length, host.stub.checks.length]).toEqual([2, 0])
  const live = (await ana.get(`/two-factor?requirement=${other}`)).json.challenge
  expect(live.attemptsRemaining).toBe(5)
  expect(live.details.rows).toContainEqual(['To', 'Mallory'])

  expect((await ana.verify(code, { challenge: second.json.challenge.id })).status).toBe(200)
  expect((await ana.post('/pay', mum)).json.code).toBe('second_factor_required')
  expect((await ana.post('/pay', mallory)).json).toMatchObject({ paid: mallory })
})

describe('a page', () => {
  /** Mum's page is open, and another hand in the session asks to pay Mallory. */
  async function replacedPage() {
    const { host, ana } = await startPayHost()
    const refused = await ana.submit('/pay', mum)
    const started = await ana.submit('/two-factor/start', refused.fields)
    const open = await ana.open(started.location)
    host.clock.now += minute
    const other = await ana.post('/pay', mallory)
    await ana.start({ requirement: other.json.requirement })
    return { host, ana, open, other: other.json.requirement }
  }

  it.each<[string, number, (code: string) => object]>([
    ['the newest code is typed into it', 409, (code) => ({ code })],
    ['none is', 400, () => ({ code: '' })],
  ])('says that its code is void, and offers one for what it is about, when %s', async (_, status, typed) => {
    const { host, ana, open } = await replacedPage()
    expect(shownOn(open.text)).toMatchObject({ rows: ['5', 'Mum'], challenge: expect.any(String) })
    const told = await ana.submit('/two-factor/verify', {
      ...open.fields,
      ...typed(host.stub.rightCode),
    })
    expect(told.status).toBe(status)
    expect(shownOn(told.text).rows).toEqual(['5', 'Mum'])
    expect(told.text).not.toContain('action="/two-factor/verify"')
    expect(host.stub.checks).toHaveLength(0)
    // The way on.
    host.clock.now += 2 * minute
    const again = await ana.submit('/two-factor/start', told.fields)
    const page = await ana.open(again.location)
    await ana.submit('/two-factor/verify', { ...page.fields, code: host.stub.rightCode })
    expect((await ana.post('/pay', mallory)).status).toBe(403)
    expect((await ana.post('/pay', mum)).json).toMatchObject({ paid: mum })
  })

  it('shows the details of the live challenge, even without its requirement', async () => {
    const { ana, other } = await replacedPage()
    const shown = { rows: ['9999', 'Mallory'], challenge: expect.any(String) }
    expect(shownOn((await ana.open(`/two-factor?requirement=${other}`)).text)).toMatchObject(shown)
    // Nor is its code asked for by a page that is for something else.
    const settings = await ana.open('/two-factor?purpose=settings')
    expect(settings.text).not.toContain('action="/two-factor/verify"')
    const live = (await ana.get('/two-factor')).json.challenge
    const wrong = await ana.submit('/two-factor/verify', { challenge: live.id, code: '000000' })
    expect(wrong.status).toBe(422)
    expect(shownOn(wrong.text)).toMatchObject({ ...shown, purpose: 'pay' })
    expect((await ana.submit('/two-factor/verify', { ...wrong.fields, code: '482914' })).status).toBe(303)
  })

  it('accepts the newest code of the transfer after it has shown it', async () => {
    const { host, ana } = await startPayHost()
    const refused = await ana.submit('/pay', mum)
    const started = await ana.submit('/two-factor/start', refused.fields)
    const open = await ana.open(started.location)
    host.clock.now += minute
    await ana.submit('/two-factor/start', refused.fields)
    const { rightCode: code } = host.stub
    const told = await ana.submit('/two-factor/verify', { ...open.fields, code })
    expect(told.status).toBe(409)
    expect(told.text).toContain('A newer code was sent.')
    expect((await ana.submit('/two-factor/verify', { ...told.fields, code })).status).toBe(303)
  })
})

describe('a code of one purpose', () => {
  it('approves no different purpose of the form', async () => {
    const { host, ana } = await startSignedIn({
      mount: describedTransfers,
      options: { purposes: { login: {}, settings: {}, pay: {}, transfer: {} } },
    })
    const page = (await ana.open('/settings')).location
    const started = await ana.submit('/two-factor/start', (await ana.open(page)).fields)
    const open = await ana.open(started.location)
    host.clock.now += minute
    await ana.start({ requirement: (await ana.post('/pay', mallory)).json.requirement })
    const { rightCode: code } = host.stub
    const { challenge: _id, ...purposeAlone } = open.fields
    for (const fields of [open.fields, purposeAlone, { purpose: 'login' }]) {
      expect((await ana.submit('/two-factor/verify', { ...fields, code })).status).toBe(409)
    }
    expect((await ana.post('/pay', mallory)).status).toBe(403)
    expect(host.stub.checks).toHaveLength(1)
  })

  it('is named by the routes of a phone verification, which have one', async () => {
    const { host, visitor: ana } = await startVisit({ mount: signupAt('/signup/phone') })
    const started = await ana.post('/signup/phone/start', { phone: '+573009999999' })
    const { rightCode: code } = host.stub
    for (const action of ['verify', 'resend']) {
      for (const [shown, status] of [
        [{ challenge: 'another' }, 409],
        [{ purpose: 'login' }, 409],
        [{ challenge: 5 }, 400],
        [{ requirement: 'x' }, 400],
      ] as const) {
        expect((await ana.post(`/signup/phone/${action}`, { code, ...shown })).status).toBe(status)
      }
    }
    expect(host.stub.checks).toHaveLength(0)
    const { id } = started.json.challenge
    expect((await ana.post('/signup/phone/verify', { code, challenge: id })).status).toBe(200)
  })
})

describe('an expired requirement', () => {
  it('still returns the displayed details', async () => {
    const { host, ana } = await startPayHost()
    const { requirement } = (await ana.post('/pay', mum)).json
    host.clock.now += 9 * minute
    await ana.start({ requirement })
    host.clock.now += 2 * minute
    expect((await ana.post('/two-factor/resend', { requirement })).status).toBe(200)
    const { rightCode: code } = host.stub
    expect((await ana.verify(code, { requirement })).status).toBe(200)
    // The renewed session cannot read it, and knows from which one it came.
    expect((await ana.verify(code, { requirement })).json.code).toBe('challenge_gone')
  })
})

describe('challenges without a request', () => {
  it('accept equal names', async () => {
    const { host, ana } = await startPayHost()
    const { requirement } = (await ana.post('/pay', mum)).json
    const started = await ana.start({ requirement })
    const actor = { subject: 'ana', phone: '+573001234567', session: sessionIdOf(ana) }
    const { challenges } = host.tf
    const code = host.stub.rightCode
    for (const [shown, refusal] of [
      [{}, 'invalid_request'],
      [{ challenge: 5 as never }, 'invalid_request'],
      [{ requirement: 'x' }, 'invalid_request'],
      [{ challenge: 'another' }, 'challenge_superseded'],
      [{ purpose: 'pay' }, 'challenge_superseded'],
      [{ purpose: 'pay', bound: mallory }, 'challenge_superseded'],
    ] as const) {
      expect(await challenges.resend({ ...actor, ...shown })).toMatchObject({ code: refusal })
      expect(await challenges.verify({ ...actor, code, ...shown })).toMatchObject({ code: refusal })
    }
    const { id } = started.json.challenge
    for (const shown of [{ requirement }, { purpose: 'pay', bound: mum }, { challenge: id }]) {
      const wrong = await challenges.verify({ ...actor, code: `00000${id.length}`, ...shown })
      expect(wrong).toMatchObject({ outcome: 'rejected', attemptsRemaining: 4 })
    }
    expect(await challenges.verify({ ...actor, code, requirement })).toMatchObject({ outcome: 'approved' })
  })
})
