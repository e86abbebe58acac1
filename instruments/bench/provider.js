import { once } from 'node:events'
import { createServer } from 'node:http'

/** What everybody types who types the right code. */
export const rightCode = '482913'

/** A provider that answers at once, in its own words and in those of the SDK it is compared with. */
export async function startProvider() {
  const server = createServer(async (req, res) => {
    let body = ''
    for await (const chunk of req) body += chunk
    res.setHeader('content-type', 'application/json')
    res.end(answer(req.url, body))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return { origin: `http://127.0.0.1:${server.address().port}` }
}

function answer(url, body) {
  const right = body.toLowerCase().includes(`code=${rightCode}`)
  switch (url) {
    case '/v1/2fa/send-sms':
      return '{"id":"a1","status":"queued","minutes_to_expire":5}'
    case '/v1/2fa/verification-code':
      return right ? '{"status":"verified"}' : '{"status":"wrong"}'
    case '/v2/Services/VA1/Verifications':
      return '{"sid":"VE1","status":"pending","channel":"sms"}'
    case '/v2/Services/VA1/VerificationCheck':
      return right ? '{"sid":"VE1","status":"approved"}' : '{"sid":"VE1","status":"pending"}'
  }
  throw new Error(`nobody answers ${url}`)
}
