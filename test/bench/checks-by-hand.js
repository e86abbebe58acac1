import { Pool } from 'undici'
import { foreign } from './packages.js'

/** Sends and checks codes as one would write it down with undici. */
export function checksByUndici(provider) {
  const pool = new Pool(provider, { connections: 128 })
  const headers = { 'content-type': 'application/x-www-form-urlencoded' }
  async function post(path, fields) {
    const body = new URLSearchParams({ client: '41', key: 'k', 'app-name': 'Acme', ...fields }).toString()
    const answer = await pool.request({ method: 'POST', path, headers, body })
    return answer.body.json()
  }
  return {
    send: (phone) => post('/v1/2fa/send-sms', { phone }),
    async isRight(phone, code) {
      const { status } = await post('/v1/2fa/verification-code', { phone, code })
      return status === 'verified'
    },
  }
}

/** The same with the SDK of a verify service. */
export function checksBySdk(provider) {
  const client = foreign('twilio')('AC1', 'token', { accountSid: 'AC1' })
  client.verify.baseUrl = provider
  const service = client.verify.v2.services('VA1')
  return {
    send: (to) => service.verifications.create({ to, channel: 'sms' }),
    async isRight(to, code) {
      const { status } = await service.verificationChecks.create({ to, code })
      return status === 'approved'
    },
  }
}
