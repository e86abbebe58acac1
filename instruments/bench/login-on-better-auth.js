import express from 'express'
import { foreignModule } from './packages.js'
import { phoneOf } from './people.js'

const emailOf = (phone) => `${phone.slice(1)}@example.com`

/** The same login in two steps on better-auth with its phone plugin, whose codes the provider makes and checks. */
export async function loginOnBetterAuth(app, checks) {
  const { betterAuth } = await foreignModule('better-auth')
  const { phoneNumber } = await foreignModule('better-auth/plugins')
  const { memoryAdapter } = await foreignModule('better-auth/adapters/memory')
  const { fromNodeHeaders } = await foreignModule('better-auth/node')
  const { api } = betterAuth({
    baseURL: 'http://127.0.0.1',
    secret: 'a secret of thirty-two bytes or more',
    database: memoryAdapter({ user: [], session: [], account: [], verification: [] }),
    telemetry: { enabled: false },
    plugins: [
      phoneNumber({
        sendOTP: ({ phoneNumber: phone }) => checks.send(phone),
        verifyOTP: ({ phoneNumber: phone, code }) => checks.isRight(phone, code),
        signUpOnVerification: { getTempEmail: emailOf, getTempName: emailOf },
      }),
    ],
  })

  app.post('/login', express.json(), async (req, res) => {
    const { user } = req.body
    req.session.pendingUserId = user
    await api.sendPhoneNumberOTP({ body: { phoneNumber: phoneOf(user) } })
    res.status(201).json({ challenge: {} })
  })

  app.post('/two-factor/verify', express.json(), async (req, res) => {
    const phone = phoneOf(req.session.pendingUserId)
    const body = { phoneNumber: phone, code: req.body.code }
    const { status, headers } = await api.verifyPhoneNumber({ body, asResponse: true })
    if (status !== 200) {
      res.status(422).json({ code: 'code_not_accepted' })
      return
    }
    res.setHeader('Set-Cookie', headers.getSetCookie())
    res.json({ verified: true })
  })

  app.get('/account', async (req, res) => {
    const found = await api.getSession({ headers: fromNodeHeaders(req.headers) })
    if (found) res.json({ hello: found.user.id })
    else res.status(403).json({ code: 'second_factor_required' })
  })
  return app
}
