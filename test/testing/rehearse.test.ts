import { existsSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { type Sandbox, startSandbox } from 'express-two-factor/sandbox'
import {
  describeRehearsal,
  type Rehearsal,
  type RehearsalOptions,
  rehearse,
} from 'express-two-factor/testing'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { attacks } from '../../src/testing/rehearsal/attacks.js'
import { listening } from '../listening.js'
import { createBank, type User } from './bank.js'
import { mistakes } from './mistakes.js'

let sandbox: Sandbox
beforeAll(async () => {
  sandbox = await startSandbox()
})
beforeEach(() => sandbox.reset())
afterAll(() => sandbox.close())

const withVerdict = ({ rows }: Rehearsal, wanted: string) =>
  rows.flatMap(({ code, verdict }) => (verdict === wanted ? [code] : []))

/** The rehearsal of a bank with one of the mistakes. */
async function rehearsed(
  what: string | undefined,
  more: Partial<RehearsalOptions<User>> = {},
): Promise<Rehearsal> {
  const { rehearsal, close } = createBank(sandbox, mistakes.find((one) => one.what === what)?.wiring)
  const result = await rehearse({ ...rehearsal, maxRequests: 500, ...more })
  await close()
  return result
}

describe('rehearse', () => {
  it('accuses a right app of nothing, and says what it did not try', async () => {
    const result = await rehearsed(undefined)
    expect(withVerdict(result, 'fell')).toEqual([])
    expect(withVerdict(result, 'not tried')).toEqual(['unguarded'])
    expect(result).toMatchObject({ ok: true, rows: { length: attacks.length + 5 } })
    expect(result.requests).toBeLessThanOrEqual(500)
    expect(describeRehearsal(result)).toMatch(/\n28 held, 0 fell, 1 not tried: \d+ requests in \d+\.\d s\.$/)
  })

  it('says of what fell what to change, which request to repeat, and where to read on', async () => {
    const result = await rehearsed('bind that forgets the payee', { only: ['changed'] })
    expect(withVerdict(result, 'fell')).toEqual(['changed'])
    const text = describeRehearsal(result)
    expect(text).toContain('FELL   changed: a code covers the action that it was shown for and no other')
    expect(text).toContain('POST /transfers answered 200 with another "payee"')
    expect(text).toMatch(
      /Repeat: curl -i -X POST 'http:\/\/127\.0\.0\.1:\d+\/transfers' .*-H "cookie: \$COOKIE" --data '{"amount":5,"payee":"Eve"}'/,
    )
    expect(text).toContain('Read:   docs/api.md#the-guard')
  })

  it.each([
    'two sessions',
    'a log of bodies',
    'a sign-up without a proof',
    'a session cookie that scripts can read',
  ])('finds %s', async (what) => {
    const row = mistakes.find((one) => one.what === what)?.row ?? ''
    expect(withVerdict(await rehearsed(what, { only: [row] }), 'fell')).toContain(row)
  })

  it('attacks nothing unless a code arrives in the sandbox that it holds', async () => {
    await using other = await startSandbox()
    const { rehearsal, close } = createBank(other)
    const result = await rehearse({ ...rehearsal, sandbox })
    await close()
    expect(withVerdict(result, 'fell')).toEqual(['sign-in'])
    expect(withVerdict(result, 'not tried')).toHaveLength(attacks.length + 4)
    expect(result.requests).toBeLessThan(5)
  })

  it('ends when its requests are used up, and counts nothing as held that it did not try', async () => {
    const result = await rehearsed(undefined, { maxRequests: 100 })
    expect(result.requests).toBe(100)
    expect(withVerdict(result, 'not tried')).toContain('headers')
  })

  it('follows no redirect to another site', async () => {
    const asked: string[] = []
    const elsewhere = await listening((req, res) => {
      asked.push(req.url ?? '')
      res.end()
    })
    const { rehearsal, close } = createBank(sandbox)
    await rehearse({
      ...rehearsal,
      app: createServer((_req, res) => res.writeHead(302, { location: `${elsewhere.origin}/x` }).end()),
      signIn: async (agent) => agent.follow(await agent.get('/')),
    })
    await close()
    await elsewhere.close()
    expect(asked).toEqual([])
  })

  it.each([
    'https://127.0.0.1:3000',
    'http://example.com',
    'http://192.168.0.1',
    'http://127.0.0.1.example.com',
    'x',
    5,
  ])('refuses the address %s', async (app) => {
    const { rehearsal, close } = createBank(sandbox)
    await close()
    await expect(rehearse({ ...rehearsal, app: app as string })).rejects.toThrow(
      'rehearse: app must be a listener, a server of node:http, or the address of one on this machine',
    )
  })

  it('links to sections that exist', () => {
    const root = new URL('../../', import.meta.url)
    const sources = ['rehearse', 'rehearsal/attacks'].map((file) => new URL(`src/testing/${file}.ts`, root))
    const links = sources.flatMap((file) => readFileSync(file, 'utf8').match(/(?<=docs: ')[^']+/g) ?? [])
    expect(links).toHaveLength(attacks.length + 5)
    for (const docs of links) {
      const [file = '', section] = docs.split('#')
      expect(existsSync(new URL(file, root)), docs).toBe(true)
      const headings = readFileSync(new URL(file, root), 'utf8').match(/(?<=^#+ ).+$/gm) ?? []
      const anchors = headings.map((heading) =>
        heading
          .toLowerCase()
          .replaceAll(/[^\w -]/g, '')
          .replaceAll(' ', '-'),
      )
      if (section !== undefined) expect(anchors, docs).toContain(section)
    }
  })
})
