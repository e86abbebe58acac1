// A provider whose answers go wrong in 30 of 100 cases, and the record of what it was asked and what it said.
import { once } from 'node:events'
import { createServer } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'
import { providerTimeoutMs } from './people.js'
import { oneOf } from './random.js'

const codeLifetimeMs = 5 * 60_000

/** Whether the request is acted on, and what is answered. */
const kinds = {
  'cut before': { acts: false, answers: 'cut' },
  'hangs before': { acts: false, answers: 'never' },
  'gateway error': { acts: false, answers: 'gateway' },
  refused: { acts: false, answers: 'refused' },
  'cut after': { acts: true, answers: 'cut' },
  'hangs after': { acts: true, answers: 'never' },
  'half an answer': { acts: true, answers: 'half' },
  late: { acts: true, answers: 'late' },
}

export async function startProvider({ random, now }) {
  /** By number: moments of sends, of checks and of approvals, and the code that is right. */
  const numbers = new Map()
  const faults = Object.fromEntries(Object.keys(kinds).map((kind) => [kind, 0]))
  let exchanges = 0
  let codes = 0

  function recordOf(phone) {
    const known = numbers.get(phone)
    if (known !== undefined) return known
    const record = { sends: [], checks: [], approvals: [], approvedCodes: new Set(), code: undefined }
    numbers.set(phone, record)
    return record
  }

  function act(record, code) {
    if (code === undefined) {
      codes += 1
      record.code = { value: String(100_000 + (codes % 900_000)), expiresAt: now() + codeLifetimeMs }
      return '{"id":"a1","status":"queued","minutes_to_expire":5}'
    }
    const right = record.code?.value === code && now() < record.code.expiresAt
    if (!right) return '{"status":"wrong"}'
    record.code = undefined
    return '{"status":"verified"}'
  }

  const server = createServer(async (req, res) => {
    if (req.method === 'GET') {
      res.end('{"status":"100"}')
      return
    }
    let body = ''
    for await (const chunk of req) body += chunk
    const form = new URLSearchParams(body)
    const record = recordOf(form.get('phone'))
    const code = form.get('code') ?? undefined
    exchanges += 1
    const kind = random(100) < 30 ? oneOf(random, Object.keys(kinds)) : undefined
    if (kind !== undefined) faults[kind] += 1
    const { acts, answers } = kind === undefined ? { acts: true, answers: 'whole' } : kinds[kind]

    const at = now()
    if (code !== undefined) record.checks.push(at)
    // A send that was refused is given back by the hour and by the day, not by the cooldown.
    else record.sends.push({ at, refused: answers === 'refused' })
    const text = acts ? act(record, code) : ''
    if (answers === 'never') return
    if (answers === 'late') await wait(providerTimeoutMs + 300)
    if ((answers === 'whole' || answers === 'late') && text.includes('"verified"')) {
      record.approvals.push(now())
      record.approvedCodes.add(code)
    }
    answer(res, answers, text)
  })
  server.keepAliveTimeout = 120_000
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')

  return {
    baseUrl: `http://127.0.0.1:${server.address().port}/v1`,
    numbers,
    /** What the person reads on the phone. */
    codeOf: (phone) => numbers.get(phone.slice(1))?.code?.value,
    /** Whether it said in a whole answer that this code is right. */
    hasApproved: (phone, code) => numbers.get(phone.slice(1))?.approvedCodes.has(code) ?? false,
    figures: () => ({ exchanges, faults }),
    close() {
      server.close()
      server.closeAllConnections()
    },
  }
}

function answer(res, answers, text) {
  if (answers === 'cut') {
    res.destroy()
    return
  }
  if (answers === 'gateway') {
    res.writeHead(502, { 'content-type': 'text/html' }).end('<h1>Bad gateway</h1>')
    return
  }
  res.setHeader('content-type', 'application/json')
  if (answers === 'refused') res.end('{"error":"1007","message":"refused"}')
  else if (answers === 'half') res.end(text.slice(0, text.length / 2))
  else res.end(text)
}
