// Bar 9: what a shared store costs.
import { logins } from './load.js'
import { withoutRedis, withRedis } from './redis-server.js'
import { ratio } from './rounds.js'
import { cpuPerUnit } from './sides.js'

const app = new URL('login-app.js', import.meta.url).href

export const bars = [
  {
    bar: 9,
    what: 'login with Redis / with the memory store, CPU',
    atMost: 1.15,
    stretch: 1.06,
    without: withoutRedis,
    measure: ({ rounds, provider }) =>
      withRedis((redis) =>
        ratio(
          rounds,
          () => cpuPerUnit(app, 'ours', { provider, redis }, logins()),
          () => cpuPerUnit(app, 'ours', { provider }, logins()),
        ),
      ),
  },
  {
    bar: 9,
    what: 'logins per CPU second of each of two processes on one Redis / of one',
    atLeast: 0.9,
    without: withoutRedis,
    measure: ({ rounds, provider }) =>
      withRedis((redis) =>
        ratio(
          rounds,
          () => cpuPerUnit(app, 'ours', { provider, redis }, logins()),
          () => cpuPerUnit(app, 'ours', { provider, redis }, logins(), 2),
        ),
      ),
  },
]
