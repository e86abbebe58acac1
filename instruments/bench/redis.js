// Bar 9: what a shared store costs.
import { logins } from './load.js'
import { loginCpu } from './sides.js'

/** The login on the store that is given, in so many processes. */
const login = (given, processes) => loginCpu('ours', given, logins(), processes)

export const bars = [
  {
    bar: 9,
    what: 'login with Redis / with the memory store, CPU',
    atMost: 1.15,
    stretch: 1.06,
    onRedis: true,
    ours: login,
    theirs: ({ provider }) => login({ provider }),
  },
  {
    bar: 9,
    what: 'logins per CPU second of each of two processes on one Redis / of one',
    atLeast: 0.9,
    onRedis: true,
    ours: login,
    theirs: (given) => login(given, 2),
  },
]
