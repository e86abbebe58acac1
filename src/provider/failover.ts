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
  /**
   * Returns the name of the provider to try first for this code. The others follow in the given order. Default: the
   * given order.
   */
  readonly pick?: ((send: CodeSend) => string | undefined) | undefined
  /**
   * Method to use if no provider could send a code by the requested method, such as `{ whatsapp: 'sms' }`. Applies only
   * if the send accepts that method. Default: none.
   */
  readonly instead?: Readonly<Record<string, Channel>> | undefined
}

const checks = {
  pick: func('(send) => name'),
  instead: withDefault(
    {},
    record(nonEmptyString('a method'), "must map methods to methods, such as { whatsapp: 'sms' }"),
  ),
} as const satisfies Checks<FailoverOptions>

const isProvider = codeProvider('must be a CodeProvider: { sendCode, checkCode }', providerName)

/**
 * Combines several providers into one. It tries the next provider if one sent nothing (`not-sent`), refused (`failed`),
 * postponed the send (`later`) or refused your account (`misconfigured`). It never does so after `unconfirmed`,
 * because that code may arrive. If a user requests another code after an unanswered send, or after a check without a
 * verdict, the next provider sends it. Each provider receives only the methods that it declares; together they have
 * all. After five sends in a row without a response, a provider is tried last for 15 seconds. Then one send tries it,
 * and the pause doubles after each trial without a response, up to five minutes. The challenge stores which provider
 * sent a code, and that provider checks it. The first provider checks codes from before the fail-over, so list your old
 * provider first. It also checks a code that is submitted before its send has ended: if another provider was sending it,
 * the user may lose an attempt. A provider without a `name` is named by its position, `1`, `2` and so on: set names before you
 * reorder them.
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

/** Returns the methods of all members, in their order. */
function methodsIn(providers: readonly CodeProvider[]): readonly Method[] {
  const all = providers.flatMap(({ methods = interfaceMethods }): readonly Method[] => methods)
  return all.filter(({ name }, index) => all.findIndex((other) => other.name === name) === index)
}

/** Members by name, in the given order. */
type FailoverMembers = ReadonlyMap<string, CodeProvider>

function inTurn(
  members: FailoverMembers,
  /** The unwrapped members, which declare their methods. */
  declared: FailoverMembers,
  rests: Rests,
  { pick, instead }: Settled<FailoverOptions, typeof checks>,
): Pick<CodeProvider, 'sendCode' | 'checkCode'> {
  /** Returns the members to try and the method for each: first the requested method, then its replacement. */
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
        // Each member receives only its own handles.
        const isPrevious = name === previous.name && previous.own !== undefined
        const order = { ...send, channel, ...(isPrevious && { previousHandle: previous.own }) }
        const note = rests.ask(name, send.lane)
        let asked = true
        const sent = await member.sendCode({
          ...order,
          report(facts) {
            // A send that the member could not try, for example because the host's text failed, does not count as
            // unanswered.
            if (facts.asked === false) asked = false
            send.report?.(facts)
          },
        })
        if (asked) note(hasAnswered(sent))
        if (!movesOn(sent)) return withSender(name, sent, channel === send.channel ? {} : { channel })
        refusals.push(sent)
        if (send.signal.aborted) break
      }
      return costliest(refusals)
    },

    async checkCode({ handle, earlierHandles, ...check }) {
      const { name, own } = senderIn(handle, first)
      const sender = members.get(name)
      // The sender is no longer a member. No other member knows the code, so none is asked and no attempt counts.
      if (sender === undefined) return 'not-sent'
      const earlier = earlierHandles?.flatMap((one) => {
        const sent = senderIn(one, first)
        return sent.name === name && sent.own !== undefined ? [sent.own] : []
      })
      return sender.checkCode({ ...check, handle: own, ...(earlier && { earlierHandles: earlier }) })
    },
  }
}

/** Prefix of every handle of a fail-over. No other provider uses it. */
const handlePrefix = 'failover/'

/**
 * Returns the sender of a code and the sender's handle. Without the prefix the sender is the first member, which sent
 * before the fail-over. The first member also checks while a send is in progress: it makes most sends, and decides
 * about a missing handle.
 */
function senderIn(handle: string | undefined, first: string) {
  if (!handle?.startsWith(handlePrefix)) return { name: first, own: handle }
  const [, name = '', own] = /^([\w.-]+)(?::(.*))?$/s.exec(handle.slice(handlePrefix.length)) ?? []
  return { name, own }
}

/** Returns whether the code provably reached no phone. Otherwise a second code could arrive beside the first. */
function movesOn(sent: SendResult): boolean {
  const { result } = sent
  if (sent.result === 'later') return !sent.unrecognized
  return result === 'not-sent' || result === 'failed' || result === 'misconfigured'
}

/** Returns whether the service responded. */
function hasAnswered({ result }: SendResult): boolean {
  return result !== 'not-sent' && result !== 'unconfirmed'
}

function withSender(name: string, sent: SendResult, by: { readonly channel?: Channel }): SendResult {
  if (sent.result !== 'sent' && sent.result !== 'unconfirmed') return sent
  // The sender's name does not identify the code.
  if (sent.handle === undefined) return { ...by, ...sent, handle: `${handlePrefix}${name}`, byNumber: true }
  return { ...by, ...sent, handle: `${handlePrefix}${name}:${sent.handle}` }
}

/** Returns the refusal that cost most. A refusal by one provider costs, even if the next provider was unreachable. */
function costliest(refusals: readonly SendResult[]): SendResult {
  const of = (result: SendResult['result']) => refusals.find((refusal) => refusal.result === result)
  const costly = of('later') ?? of('failed') ?? of('misconfigured') ?? { result: 'not-sent' }
  return refusals.some(({ cancelled }) => cancelled) ? { ...costly, cancelled: true } : costly
}

function inOrder(
  members: FailoverMembers,
  first: string | undefined,
  /** The member that did not respond to the last send, or to a check of its code. The members after it come first. */
  silent: string | undefined,
): readonly (readonly [string, CodeProvider])[] {
  const given = [...members]
  const next = given.findIndex(([name]) => name === silent) + 1
  const all = [...given.slice(next), ...given.slice(0, next)]
  const head = first === silent ? undefined : first
  return [...all.filter(([name]) => name === head), ...all.filter(([name]) => name !== head)]
}

/** Returns the picked name. An error in `pick` must not block a code, so the given order then applies. */
function picked(pick: FailoverOptions['pick'], send: CodeSend): string | undefined {
  try {
    const name = pick?.(send)
    ignoreRejection(name)
    return name
  } catch {
    return undefined
  }
}

/** Returns the lowest balance: that account runs out of credits first. */
async function lowestBalance(providers: readonly CodeProvider[]): Promise<{ readonly credits?: number }> {
  const balances = await Promise.all(providers.map((provider) => provider.balance?.()))
  const credits = balances.flatMap((balance) => balance?.credits ?? [])
  return credits.length === 0 ? {} : { credits: Math.min(...credits) }
}
