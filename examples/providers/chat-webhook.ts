// Sends codes to a team's chat, for development without a phone, an account or costs. Not for production: every member of
// the channel can read them, and they are lost when the process ends.
import { randomInt, randomUUID } from 'node:crypto'
import type { CodeProvider } from 'express-two-factor'
import { post } from './ask.js'

const mostCodes = 1_000

/** `url` accepts a POST of `{ text }`, as incoming webhooks of chat services do. */
export function chatWebhook({ url }: { readonly url: string }): CodeProvider {
  const codes = new Map<string, { readonly code: string; readonly owner: string }>()

  return {
    name: 'chat-webhook',
    tellsCodesApart: true,
    async sendCode({ destination, appName, expiresInMs, signal, report }) {
      const code = String(randomInt(1_000_000)).padStart(6, '0')
      const text = `${code} is the ${appName} code for the number ending in ${destination.slice(-2)}.`
      const headers = { 'content-type': 'application/json' }
      const answer = await post(url, {
        operation: 'post',
        headers,
        body: JSON.stringify({ text }),
        signal,
        report,
      })
      if (answer === 'not-sent') return { result: 'not-sent' }
      const handle = randomUUID()
      codes.set(handle, { code, owner: destination + appName })
      if (codes.size > mostCodes) codes.delete(String(codes.keys().next().value))
      const sent = answer !== 'lost' && answer.httpStatus < 300
      return { result: sent ? 'sent' : 'unconfirmed', handle, lifetimeMs: expiresInMs }
    },
    async checkCode({ destination, appName, code, handle, report }) {
      report?.({ asked: false })
      // Entered while the send is still under way.
      if (handle === undefined) return 'not-sent'
      const kept = codes.get(handle)
      if (kept === undefined) return 'unavailable'
      return kept.code === code && kept.owner === destination + appName ? 'approved' : 'rejected'
    },
  }
}
