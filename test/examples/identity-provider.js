// An identity provider on loopback: whoever names an account is signed in to it. Started by a test, with the
// origin of the app that it serves.
import { createServer } from 'node:http'
import Provider from 'oidc-provider'

const [appOrigin] = process.argv.slice(2)
const server = createServer().listen(0, '127.0.0.1', () => {
  const issuer = `http://127.0.0.1:${server.address().port}`
  const provider = new Provider(issuer, {
    clients: [
      { client_id: 'acme', client_secret: 'known to the test', redirect_uris: [`${appOrigin}/callback`] },
    ],
  })
  server.on('request', provider.callback())
  console.log(issuer)
})
// Ends with the test that started it.
process.stdin.resume().on('end', () => process.exit())
