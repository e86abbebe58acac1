import { foreign } from './packages.js'
import { phoneOf } from './people.js'

const minute = 60
const noLimit = 1_000_000_000

/**
 * What an honest app puts in front of the login by hand: limits by address and by number, for sends and for codes, a
 * lock after ten wrong codes, and one code of a number at a time.
 */
export function protect() {
  const { rateLimit } = foreign('express-rate-limit')
  const { RateLimiterMemory } = foreign('rate-limiter-flexible')
  // One address is all the load has: it is counted without being refused.
  const byAddress = () => rateLimit({ windowMs: 10 * minute * 1_000, limit: noLimit, validate: false })
  const limiter = (points, duration) => new RateLimiterMemory({ points, duration })
  const perHour = limiter(5, 60 * minute)
  const perDay = limiter(10, 24 * 60 * minute)
  const perSession = limiter(20, 60 * minute)
  const wrong = limiter(10, 15 * minute)
  const underWay = new Set()

  const refuse = (res) => res.status(429).json({ code: 'too_many' })

  async function limitSends(req, res, next) {
    const phone = phoneOf(req.body.user)
    try {
      await Promise.all([perHour.consume(phone), perDay.consume(phone), perSession.consume(req.sessionID)])
    } catch {
      refuse(res)
      return
    }
    next()
  }

  async function limitCodes(req, res, next) {
    const phone = phoneOf(req.session.pendingUserId)
    const used = await wrong.get(phone)
    if (underWay.has(phone) || (used?.consumedPoints ?? 0) >= 10) {
      refuse(res)
      return
    }
    // Counted before the code is judged, so that parallel guesses share no attempt.
    await wrong.consume(phone)
    underWay.add(phone)
    res.once('close', () => {
      underWay.delete(phone)
      if (res.statusCode === 200) wrong.delete(phone)
    })
    next()
  }
  return { sends: [byAddress(), limitSends], codes: [byAddress(), limitCodes] }
}
