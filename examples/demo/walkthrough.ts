import type { Sandbox } from 'express-two-factor/sandbox'
import { type Caller, createCaller } from './caller.js'

/**
 * Signs in, steps up and signs up over HTTP, and prints each request with its response. Throws at the first unexpected
 * response.
 */
export async function walkThrough(origin: string, { inbox }: Sandbox): Promise<void> {
  let steps = 0
  const newCaller = () => createCaller(origin, () => ++steps)
  const readCode = async (phone: string) => {
    const { code } = await inbox.waitFor(phone)
    console.log(`\n    The inbox of ${phone} shows ${code}.`)
    return code
  }

  const browser = newCaller()
  await signIn(browser, readCode)
  await stepUp(browser, readCode)
  await signUp(newCaller(), readCode)
  console.log(`\n${steps} requests, each answered as it should be.`)
}

type ReadCode = (phone: string) => Promise<string>

async function signIn({ call, cookie }: Caller, readCode: ReadCode): Promise<void> {
  const verify = { method: 'POST', path: '/two-factor/verify' } as const
  const guarded = { method: 'GET', path: '/account' } as const
  const body = { name: 'ana', password: 'sesame' }
  await call({ title: 'The password', method: 'POST', path: '/password', body, expect: 200 })
  const { requirement } = await call({ title: 'A guarded page before the code', ...guarded, expect: 403 })
  await start('The code is sent', '/two-factor/start', { requirement }, call)

  const code = await readCode('+573001234567')
  const wrong = code.replace(/.$/, (last) => (last === '0' ? '1' : '0'))
  await call({ title: 'A wrong code', ...verify, body: { code: wrong }, expect: 422 })
  const before = cookie() ?? ''
  await call({ title: 'The right code renews the session', ...verify, body: { code }, expect: 200 })
  await call({ title: 'The guarded page', ...guarded, expect: 200 })
  await call({
    title: 'The guarded page with the cookie from before',
    ...guarded,
    cookie: before,
    expect: 401,
  })
}

async function stepUp({ call }: Caller, readCode: ReadCode): Promise<void> {
  const transfer = { method: 'POST', path: '/transfer' } as const
  const body = { amount: '100', payee: 'Luis' }
  const { requirement } = await call({
    title: 'A transfer asks for a fresh code',
    ...transfer,
    body,
    expect: 403,
  })
  await start('The code for this very transfer', '/two-factor/start', { requirement }, call)
  const code = await readCode('+573001234567')
  // The code approves only the action of this requirement, which was displayed.
  const typed = { code, requirement }
  await call({ title: 'The code', method: 'POST', path: '/two-factor/verify', body: typed, expect: 200 })
  const dearer = { ...body, amount: '999' }
  await call({ title: 'Another amount is not covered', ...transfer, body: dearer, expect: 403 })
  await call({ title: 'The transfer', ...transfer, body, expect: 200 })
  await call({ title: 'The same transfer once more', ...transfer, body, expect: 403 })
}

async function signUp({ call }: Caller, readCode: ReadCode): Promise<void> {
  const account = { title: 'The account', method: 'POST', path: '/signup' } as const
  await start(
    'A new number, as people write it',
    '/signup/phone/start',
    { phone: '310 765 4321', country: 'CO' },
    call,
  )
  const code = await readCode('+573107654321')
  await call({ title: 'The code', method: 'POST', path: '/signup/phone/verify', body: { code }, expect: 200 })
  await call({ ...account, body: { name: 'luis', password: 'open' }, expect: 201 })
  await call({
    ...account,
    title: 'A number opens one account',
    body: { name: 'eva', password: 'open' },
    expect: 403,
  })
}

function start(title: string, path: string, body: Readonly<Record<string, unknown>>, call: Caller['call']) {
  return call({ title, method: 'POST', path, body, expect: 201 })
}
