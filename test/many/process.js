/*
 * One instance of an app, as a process of its own on a Redis that it shares with others. An unhandled
 * rejection ends it.
 */
import express from 'express'
import { createClient, providerCodes, tokenSession, twoFactor } from 'express-two-factor'
import { redisStore } from 'express-two-factor/redis'

const { provider, clientName, redisPorts, storeTimeoutMs, limits, namespace } = JSON.parse(process.argv[2])

const nodes = redisPorts.map((port) => ({ host: '127.0.0.1', port, url: `redis://127.0.0.1:${port}` }))
const library = await import(clientName.endsWith('ioredis') ? 'ioredis' : 'redis')
const connected = {
  redis: () => library.createClient({ url: nodes[0].url, disableOfflineQueue: true }),
  ioredis: () => new library.Redis(redisPorts[0]),
  'cluster of redis': () => library.createCluster({ rootNodes: nodes }),
  'cluster of ioredis': () => new library.Cluster(nodes),
}
const client = connected[clientName]()
client.on('error', () => {})
if (clientName.endsWith('ioredis')) await new Promise((resolve) => client.once('ready', resolve))
else await client.connect()

// A token names a subject and its login: `Bearer 1001.laptop`. The subject is its number, or the end of it.
const tokenOf = (req) => (req.get('authorization') ?? '').replace(/^Bearer /, '').split('.')
const events = []
const tf = twoFactor({
  provider: providerCodes({
    client: createClient({ baseUrl: provider, client: 41, key: 'k' }),
    approvedStatuses: ['verified'],
  }),
  appName: { login: 'Acme', signup: 'Acme signup' },
  secret: 'a secret of thirty-two bytes or more',
  countries: ['CO'],
  store: redisStore({ client, timeoutMs: storeTimeoutMs }),
  session: tokenSession((req) => tokenOf(req)[1]),
  subject: (req) => tokenOf(req)[0] || undefined,
  phone: (_req, subject) => (subject.startsWith('+') ? subject : `+57300000${subject}`),
  // What holds an attacker back here is the ledger alone.
  limits: { sendsPerAddressPer10Min: false, ...limits },
  namespace,
  onEvent: (event) => events.push(event),
})

const app = express()
app.use('/two-factor', tf.routes())
app.use('/signup', tf.phoneVerification().routes())
app.get('/told', (_req, res) => res.json({ health: tf.health(), events: events.splice(0) }))
app.get('/account', tf.requireTwoFactor(), (req, res) => res.json(req.twoFactor.grant))
app.post('/transfer', tf.requireTwoFactor({ purpose: 'transfer', once: true }), (_req, res) => res.json({}))
const server = app.listen(0, '127.0.0.1', () => process.send(server.address().port))

// On a busy machine a connection may be idle for longer than the five seconds after which Node closes it, just
// when the next guess is on its way.
server.keepAliveTimeout = 120_000

// Nobody is left to ask it anything.
process.on('disconnect', () => process.exit())
