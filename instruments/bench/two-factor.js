import { createClient, providerCodes, twoFactor } from 'express-two-factor'
import { phoneOf } from './people.js'

const noLimit = 1_000_000_000

/** Budgets of the whole service and of one address are counted, but one address is all the load has. */
const limits = {
  sendsPerAddressPer10Min: noLimit,
  serviceSendsPerMinute: noLimit,
  serviceEnrolSendsPerHour: noLimit,
  serviceEnrolSendsPerDay: noLimit,
}

export function openTwoFactor(provider, options = {}) {
  return twoFactor({
    provider: providerCodes({
      client: createClient({ baseUrl: `${provider}/v1`, client: 41, key: 'k' }),
      approvedStatuses: ['verified'],
    }),
    appName: 'Acme',
    secret: 'a secret of thirty-two bytes or more',
    countries: ['CO'],
    subject: (req) => req.session.pendingUserId ?? req.session.userId,
    phone: (_req, subject) => phoneOf(subject),
    onVerified: (req, _res, grant) => {
      req.session.userId = grant.subject
      delete req.session.pendingUserId
    },
    ...options,
    limits: { ...limits, ...options.limits },
  })
}
