// What people do at the apps, and what they were told.
import { phoneOf } from './people.js'
import { oneOf } from './random.js'

const guesses = 15
const started = [200, 201, 202]
/** Worth another try: the store or the provider was away, or the connection was cut. */
const again = [0, 503]

export function createVisits({ apps, provider, random }) {
  let visits = 0

  const ask = (method, path, token, body) => oneOf(random, apps).ask(method, path, token, body)

  async function insist(method, path, token, body) {
    let status = 0
    for (let tries = 0; tries < 3 && again.includes(status); tries += 1) {
      status = await ask(method, path, token, body)
    }
    return status
  }

  /** A code, noted down with what became of it. */
  async function submit(visit, code) {
    const status = await ask('POST', '/two-factor/verify', visit.token, { code })
    visit.codes.add(code)
    if (status === 0) visit.unheard = true
    if (status === 200) visit.letInBy.push(code)
    return status
  }

  async function typeCode(visit) {
    const code = provider.codeOf(visit.phone)
    if (code === undefined) return
    let status = 503
    for (let tries = 0; tries < 3 && again.includes(status); tries += 1) status = await submit(visit, code)
  }

  const inParallel = (count, codeOf, visit) =>
    Promise.all(Array.from({ length: count }, (_, index) => submit(visit, codeOf(index))))

  const habits = {
    async plain(visit) {
      await typeCode(visit)
    },
    async 'with a wrong code first'(visit) {
      await submit(visit, 'wrong1')
      await typeCode(visit)
    },
    async 'with four clicks at once'(visit) {
      const code = provider.codeOf(visit.phone)
      if (code !== undefined) await inParallel(4, () => code, visit)
    },
    // Brute force: somebody who has the password, and no phone.
    async guessing(visit) {
      await inParallel(guesses, (index) => `guess${index}`, visit)
      for (let index = 0; index < guesses; index += 1) await submit(visit, `next${index}`)
      await ask('POST', '/two-factor/cancel', visit.token)
      await ask('POST', '/two-factor/start', visit.token, { purpose: 'login' })
      await inParallel(5, (index) => `more${index}`, visit)
    },
  }

  function habit() {
    const turn = random(100)
    if (turn < 10) return 'with four clicks at once'
    return turn < 35 ? 'with a wrong code first' : 'plain'
  }

  return {
    /** One login, from its start to success or to giving up. */
    async login({ subject, isTarget }) {
      visits += 1
      const visit = {
        token: `${subject}.s${visits}`,
        phone: phoneOf(subject),
        codes: new Set(),
        letInBy: [],
        unheard: false,
      }
      const status = await insist('POST', '/two-factor/start', visit.token, { purpose: 'login' })
      const attacks = isTarget && random(2) === 0
      if (started.includes(status)) await habits[attacks ? 'guessing' : habit()](visit)
      return visit
    },

    /** Whether the guarded page opens: undefined when nobody says. */
    async isLetIn({ token }) {
      const status = await insist('GET', '/account', token)
      return again.includes(status) ? undefined : status === 200
    },
  }
}
