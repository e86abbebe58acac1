import express from 'express'
import { phoneOf } from './people.js'

const lifetimeMs = 600_000
const maxAgeMs = 12 * 3_600_000

/**
 * A login in two steps as it is written by hand: it renews the session, and protects against nothing else but by the
 * handlers that are given for sends and for codes.
 */
export function loginByHand(app, checks, standing, { sends = [], codes = [] } = {}) {
  const challenges = new Map()
  for (let index = 0; index < standing; index += 1) {
    challenges.set(`session ${index}`, challengeOf(`+57310${1_000_000 + index}`))
  }
  if (standing > 0) globalThis.gc()

  app.post('/login', express.json(), ...sends, async (req, res) => {
    const { user } = req.body
    const challenge = challengeOf(phoneOf(user))
    req.session.pendingUserId = user
    challenges.set(req.sessionID, challenge)
    await checks.send(challenge.phone)
    const { expiresAt } = challenge
    res
      .status(201)
      .json({ challenge: { expiresAt: new Date(expiresAt).toISOString(), attemptsRemaining: 5 } })
  })

  app.post('/two-factor/verify', express.json(), ...codes, async (req, res) => {
    const challenge = challenges.get(req.sessionID)
    if (challenge === undefined || Date.now() >= challenge.expiresAt) {
      res.status(410).json({ code: 'challenge_gone' })
      return
    }
    challenge.attempts += 1
    if (challenge.attempts > 5 || !(await checks.isRight(challenge.phone, req.body.code))) {
      res.status(422).json({ code: 'code_not_accepted', attemptsRemaining: 5 - challenge.attempts })
      return
    }
    challenges.delete(req.sessionID)
    const userId = req.session.pendingUserId
    await new Promise((resolve, reject) =>
      req.session.regenerate((error) => (error ? reject(error) : resolve())),
    )
    Object.assign(req.session, { userId, verifiedAt: Date.now() })
    res.json({ verified: true, verifiedAt: new Date().toISOString() })
  })

  function requireVerified(req, res, next) {
    const { verifiedAt } = req.session
    if (verifiedAt !== undefined && Date.now() - verifiedAt < maxAgeMs) next()
    else res.status(403).json({ code: 'second_factor_required' })
  }
  app.get('/account', requireVerified, (req, res) => res.json({ hello: req.session.userId }))
  return app
}

const challengeOf = (phone) => ({ phone, attempts: 0, expiresAt: Date.now() + lifetimeMs })
