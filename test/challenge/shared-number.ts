import { codeOf } from '../../src/lib/totp.js'
import type { PhoneNumber } from '../../src/phone-number.js'
import { hour, minute, mostWithin } from './kit.js'
import { ana, createService, type ServiceOptions } from './service.js'

// Five accounts of an attacker carry the number of the owner, who shares it with a partner and a daughter.

type Service = ReturnType<typeof createService>

const number = ana.phone as PhoneNumber
/** Of the attacker's own app. */
const secret = Buffer.from('12345678901234567890')

/** A browser of one account, which keeps its device cookie. */
export function openBrowser({ devices }: Service, subject: string) {
  let token: string | undefined
  const open = () => devices.open(subject, token === undefined ? [] : [token])
  return {
    open,
    /** By a code to a number, or by another factor, such as an app. */
    succeed: async (by?: PhoneNumber) => {
      token = (await open().succeed({ phone: by })) ?? token
    },
  }
}

export type Kind = 'blind' | 'targeted'

interface Siege {
  readonly isToldApart: boolean
  readonly kind: Kind
  /** The attacker once held the phone: a code to the number was right in each account. */
  readonly heldThePhone?: boolean
  readonly stepMs?: number
  readonly service?: ServiceOptions
}

/** Signs in, until the attackers are done. Counts what they use, and who is refused. */
export function createSiege({ isToldApart, kind, heldThePhone, stepMs = 5 * minute, service: more }: Siege) {
  const service = createService({ haveApps: true, ...more })
  const { challenges, provider, now } = service
  provider.send = () => ({ result: 'sent', lifetimeMs: 600_000, ...(isToldApart && { handle: 'own' }) })
  // Each code is another one: a used one would be refused for a day.
  provider.check = (code) => (code.startsWith('right') ? 'approved' : 'rejected')
  const attackers = Array.from({ length: 5 }, (_, index) => {
    const subject = `attacker-${index}`
    return { who: { ...ana, subject, session: subject, secret }, browser: openBrowser(service, subject) }
  })
  const sentAt: number[] = []
  const wrongAt: number[] = []
  let turn = 0

  /** One of them asks for a text and types wrong codes. */
  async function attack(): Promise<void> {
    const attacker = attackers[turn % attackers.length]
    turn += 1
    if (attacker === undefined) return
    const { who, browser } = attacker
    const [sends, checks] = [provider.sends.length, provider.checks.length]
    await challenges.start({ ...who, purpose: 'login', channel: 'sms', browser: browser.open() })
    // With two for each code, the limit of the sends and that of the wrong codes are used up together.
    for (const letter of ['a', 'b']) {
      await challenges.verify({ ...who, code: `${letter}${turn}`, browser: browser.open() })
    }
    sentAt.push(...Array(provider.sends.length - sends).fill(now()))
    wrongAt.push(...Array(provider.checks.length - checks).fill(now()))
    // Only counts and times matter here, and a hundred days have many.
    service.events.length = 0
  }

  /** Somebody asks for a text and types its code, while the attacker may watch. Returns how that ends. */
  async function signIn(
    who: typeof ana,
    browser: ReturnType<typeof openBrowser>,
    isWatched = false,
  ): Promise<string> {
    const command = { ...who, purpose: 'login', channel: 'sms' }
    const started = await challenges.start({ ...command, browser: browser.open() })
    if (started.outcome === 'refused') return started.code
    if (isWatched) for (let times = 0; times < attackers.length; times += 1) await attack()
    const displayed = { challenge: started.challenge.id }
    const code = `right${provider.sends.length}`
    const told = await challenges.verify({ ...command, displayed, code, browser: browser.open() })
    if (told.outcome === 'approved') await browser.succeed(who.phone as PhoneNumber)
    return told.outcome === 'refused' ? told.code : told.outcome
  }

  const owner = openBrowser(service, ana.subject)
  const partner = openBrowser(service, 'partner')
  const others = {
    'a partner with the number, in a browser known there': () =>
      signIn({ ...ana, subject: 'partner', session: 'partner' }, partner),
    'a daughter with the number, in a new browser': () =>
      signIn({ ...ana, subject: 'daughter', session: `daughter-${turn}` }, openBrowser(service, 'daughter')),
    'a neighbour with another number, in a new browser': () => {
      const neighbour = { subject: 'neighbour', session: `neighbour-${turn}`, phone: '+573007654321' }
      return signIn(neighbour, openBrowser(service, 'neighbour'))
    },
  }
  const refusedOthers = new Map(Object.keys(others).map((name) => [name, 0]))

  return {
    service,
    /** All of them sign in once before it starts. */
    async settle(): Promise<void> {
      for (const browser of [owner, partner]) await browser.succeed(number)
      for (const { browser } of attackers) await browser.succeed(heldThePhone ? number : undefined)
    },
    /** Each of them signs in by the app. The browser stays known to the account, which forgets the wrong codes. */
    async renew(): Promise<void> {
      for (const { who, browser } of attackers) {
        const command = { ...who, purpose: 'login', channel: 'app', browser: browser.open() }
        const started = await challenges.start(command)
        const displayed = 'challenge' in started ? { challenge: started.challenge.id } : {}
        const code = codeOf(Math.floor(now() / 30_000), secret)
        const told = await challenges.verify({ ...command, displayed, code })
        if (told.outcome !== 'approved') throw new Error(`the app of an attacker: ${JSON.stringify(told)}`)
        await browser.succeed()
      }
    },
    async pass(ms: number): Promise<void> {
      for (let passed = 0; passed < ms; passed += stepMs) {
        await attack()
        service.wait(stepMs)
      }
    },
    signIn: () => signIn(ana, owner, kind === 'targeted'),
    async signInOthers(): Promise<void> {
      for (const [name, act] of Object.entries(others)) {
        const refusals = refusedOthers.get(name) ?? 0
        if ((await act()) !== 'approved') refusedOthers.set(name, refusals + 1)
      }
    },
    /** Ends what the browsers of the attacker are known for. */
    async revoke(): Promise<void> {
      for (const { who } of attackers) await service.devices.revokeSubject(who.subject)
    },
    figures: () => ({
      refusedOthers,
      sendsInHour: mostWithin(hour, sentAt),
      sendsInDay: mostWithin(24 * hour, sentAt),
      wrongInDay: mostWithin(24 * hour, wrongAt),
    }),
  }
}
