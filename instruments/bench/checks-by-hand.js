import { Pool } from 'undici'

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
