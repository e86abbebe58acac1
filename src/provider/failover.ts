import {
  type Channel,
  type CodeProvider,
  type CodeSend,
  type CompositeProvider,
  interfaceMethods,
  isOneOf,
  type Method,
  type SendResult,
} from '../challenge/exchange/code-provider.js'
import {
  type Checks,
  checkOptions,
  func,
  nonEmptyString,
  optionError,
  record,
  type Settled,
  withDefault,
} from '../lib/options.js'
import { ignoreRejection } from '../lib/promises.js'
import { createRests, type Rests } from './member-rests.js'
import { codeProvider, providerName } from './option-checks.js'

/** Options of `failover`. */
export interface FailoverOptions {
  /** Name of the provider that goes first for this code; the others follow in their order. */
  readonly pick?: ((send: CodeSend) => string | undefined) | undefined
  /**
   * By which method a code goes out when no provider could send it by the one that was asked for, such as
   * `{ whatsapp: 'sms' }`. Only where a code by that method will do.
   */
  readonly instead?: Readonly<Record<string, Channel>> | undefined
}

const checks = {
  pick: func('(send) => name'),
  instead: withDefault(
    {},
    record(nonEmptyString('a method'), "must be methods by method, such as { whatsapp: 'sms' }"),
  ),
} as const satisfies Checks<FailoverOptions>

const isProvider = codeProvider('must be a CodeProvider: { sendCode, checkCode }', providerName)

/**
 * Several providers as one. The next one is asked when the one before has sent nothing (`not-sent`), refused
 * (`failed`), postponed the send (`later`) or refused the account (`misconfigured`); never after `unconfirmed`, since that
 * code may arrive. A user who
 * asks again after an unanswered send gets the code by the next provider.
 * A provider is asked only for methods that it declares; together they have all of them. After five sends in a row
 * without a response a provider is asked last for 15 seconds. Then one send tries it, and the pause doubles with each
 * trial without a response, up to five minutes.
 * The challenge remembers who sent, and its codes are checked there; those from before there were several by the first,
 * so leave the one in that place that was alone. A provider without a `name` is called after its place, `1`, `2` and so on:
 * name them before you reorder them.
 *
 * @throws {TypeError} with `code: 'ERR_TWO_FACTOR_OPTION'` when the list is empty or a name is used twice
 * @example
 * twoFactor({ provider: failover([ownCodes({ name: 'main', client, secret }), spareProvider]) })
 */
export function failover(
  providers: readonly CodeProvider[],
  options: FailoverOptions = {},
): CompositeProvider {
  const given = checkOptions('failover', options, checks)
  if (!Array.isArray(providers) || providers.length === 0) {
    throw optionError('failover: providers must be an array of at least one CodeProvider')
  }
  const members = new Map<string, CodeProvider>()
  for (const [index, provider] of providers.entries()) {
    isProvider(provider, `failover: providers[${index}]`)
    const name = provider.name ?? String(index + 1)
    if (members.has(name)) throw optionError(`failover: two providers are named "${name}"`)
    members.set(name, withName(provider, name))
  }
  const names = [...members.keys()]
  const named = (wrapped: readonly CodeProvider[]) =>
    new Map(wrapped.map((member, index) => [names[index] ?? '', member]))

  const methods = methodsIn(providers)
  const { instead } = given
  for (const method of [...Object.keys(instead), ...Object.values(instead)]) {
    if (!isOneOf(methods, method)) {
      throw optionError(`failover: instead: no provider declares a method "${method}"`)
    }
  }
  const rests = createRests()
  const accounts = providers.filter(({ balance }) => balance !== undefined)
  return {
    members: [...members.values()],
    methods,
    tellsCodesApart: providers.every((provider) => provider.tellsCodesApart === true),
    withMembers: (wrapped) => inTurn(named(wrapped), members, rests, given),
    ...inTurn(members, members, rests, given),
    ...(accounts.length > 0 && { balance: () => lowestBalance(accounts) }),
    async close() {
      await Promise.all(providers.map((provider) => provider.close?.()))
    },
  }
}

function withName(provider: CodeProvider, name: string): CodeProvider {
  return {
    name,
    timeoutMs: provider.timeoutMs,
    maxExchanges: provider.maxExchanges,
    methods: provider.methods,
    tellsCodesApart: provider.tellsCodesApart,
    sendCode: (send) => provider.sendCode(send),
    checkCode: (check) => provider.checkCode(check),
    ...(provider.inspect && { inspect: provider.inspect.bind(provider) }),
  }
}

/** What any of them can do, in their order. */
function methodsIn(providers: readonly CodeProvider[]): readonly Method[] {
  const all = providers.flatMap(({ methods = interfaceMethods }): readonly Method[] => methods)
  return all.filter(({ name }, index) => all.findIndex((other) => other.name === name) === index)
}

/** By name, in the order they were given. */
type FailoverMembers = ReadonlyMap<string, CodeProvider>

function inTurn(
  members: FailoverMembers,
  /** The same, with what they declare. */
  declared: FailoverMembers,
  rests: Rests,
  { pick, instead }: Settled<FailoverOptions, typeof checks>,
): Pick<CodeProvider, 'sendCode' | 'checkCode'> {
  /** By its method, then by the one in its place: whom to ask, and for what. */
  function attemptsAt(send: CodeSend, silent: string | undefined) {
    const { [send.channel]: other } = instead
    const channels =
      other !== undefined && send.channels?.includes(other) ? [send.channel, other] : [send.channel]
    const order = inOrder(members, picked(pick, send), silent)
    const attempts = channels.flatMap((channel) =>
      order.flatMap(([name, member]) =>
        isOneOf(declared.get(name)?.methods ?? interfaceMethods, channel) ? [{ name, member, channel }] : [],
      ),
    )
    const isResting = ({ name }: { readonly name: string }) => rests.isResting(name, send.lane)
    return [...attempts.filter((one) => !isResting(one)), ...attempts.filter(isResting)]
  }

  const [first = ''] = members.keys()

  return {
    async sendCode({ previousHandle, previousUnanswered, ...send }) {
      const previous = senderIn(previousHandle, first)
      const silent = previousHandle !== undefined && previousUnanswered ? previous.name : undefined
      const refusals: SendResult[] = []
      for (const { name, member, channel } of attemptsAt(send, silent)) {
        // Each member learns of its own codes only.
        const isPrevious = name === previous.name && previous.own !== undefined
        const order = { ...send, channel, ...(isPrevious && { previousHandle: previous.own }) }
        const note = rests.ask(name, send.lane)
        let asked = true
        const sent = await member.sendCode({
          ...order,
          report(told) {
            // What it could not even try, such as a text that the host failed to write, is no silence.
            if (told.asked === false) asked = false
            send.report?.(told)
          },
        })
        if (asked) note(hasAnswered(sent))
        if (!movesOn(sent)) return withSender(name, sent, channel === send.channel ? {} : { channel })
        refusals.push(sent)
        if (send.signal.aborted) break
      }
      return costliest(refusals)
    },

    async checkCode({ handle, ...check }) {
      const { name, own } = senderIn(handle, first)
      const sender = members.get(name)
      // Who sent is not here any more. Nobody else knows the code, and nobody is asked: it is no guess.
      if (sender === undefined) return 'not-sent'
      return sender.checkCode({ ...check, handle: own })
    },
  }
}

/** Begins each handle of a fail-over, and none of any other provider. */
const mark = 'failover/'

/**
 * Who sent a code, and its own handle of it. Without the mark it is the first, which sent it while it was alone. So it is
 * while a send is under way: most are those of the first, and a handle that is missing is its own to judge.
 */
function senderIn(handle: string | undefined, first: string) {
  if (!handle?.startsWith(mark)) return { name: first, own: handle }
  const [, name = '', own] = /^([\w.-]+)(?::(.*))?$/s.exec(handle.slice(mark.length)) ?? []
  return { name, own }
}

/** Only what has surely reached nobody: after anything else, a second code could arrive beside the first. */
function movesOn(sent: SendResult): boolean {
  const { result } = sent
  if (sent.result === 'later') return !sent.unrecognized
  return result === 'not-sent' || result === 'failed' || result === 'misconfigured'
}

/** Whether the service itself has spoken. */
function hasAnswered({ result }: SendResult): boolean {
  return result !== 'not-sent' && result !== 'unconfirmed'
}

function withSender(name: string, sent: SendResult, by: { readonly channel?: Channel }): SendResult {
  if (sent.result !== 'sent' && sent.result !== 'unconfirmed') return sent
  // Who sent a code does not tell whose it is.
  if (sent.handle === undefined) return { ...by, ...sent, handle: `${mark}${name}`, byNumber: true }
  return { ...by, ...sent, handle: `${mark}${name}:${sent.handle}` }
}

/** A refusal by one provider has cost something, even when the next one could not be reached. */
function costliest(refusals: readonly SendResult[]): SendResult {
  const of = (result: SendResult['result']) => refusals.find((refusal) => refusal.result === result)
  const costly = of('later') ?? of('failed') ?? of('misconfigured') ?? { result: 'not-sent' }
  return refusals.some(({ cancelled }) => cancelled) ? { ...costly, cancelled: true } : costly
}

function inOrder(
  members: FailoverMembers,
  first: string | undefined,
  /** The member that did not respond to the last send of this challenge. The members after it come first. */
  silent: string | undefined,
): readonly (readonly [string, CodeProvider])[] {
  const given = [...members]
  const next = given.findIndex(([name]) => name === silent) + 1
  const all = [...given.slice(next), ...given.slice(0, next)]
  const head = first === silent ? undefined : first
  return [...all.filter(([name]) => name === head), ...all.filter(([name]) => name !== head)]
}

/** A choice that fails must not keep a code from being sent: the usual order stands. */
function picked(pick: FailoverOptions['pick'], send: CodeSend): string | undefined {
  try {
    const name = pick?.(send)
    ignoreRejection(name)
    return name
  } catch {
    return undefined
  }
}

/** The account that runs dry first is the one to know about. */
async function lowestBalance(providers: readonly CodeProvider[]): Promise<{ readonly credits?: number }> {
  const balances = await Promise.all(providers.map((provider) => provider.balance?.()))
  const credits = balances.flatMap((balance) => balance?.credits ?? [])
  return credits.length === 0 ? {} : { credits: Math.min(...credits) }
}
