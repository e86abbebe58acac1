// Looks once at each code that was sent, and tells whether it has arrived, by country and method:
// const onEvent = watchDelivery({ client, arrived: /^Entregado/, tell: (fate, { country }) => fates.inc({ fate, country }) })
// twoFactor({ provider: providerCodes({ client, approvedStatuses }), onEvent })
import type { ProviderClient, TwoFactorEvent } from 'express-two-factor'

export type Sent = Extract<TwoFactorEvent, { readonly type: 'challenge.sent' }>

export interface DeliveryWatch {
  /** The account that sends the codes. With several, look at `provider` of the event first. */
  readonly client: Pick<ProviderClient, 'messageState'>
  /** What it says of a message that has arrived: `npx express-two-factor calibrate` shows it. */
  readonly arrived: RegExp
  /** How long after the send it is asked, in milliseconds. Default 15 seconds. */
  readonly afterMs?: number
  /** Hears of each code. `unknown`: the account could not be asked. */
  tell(fate: 'arrived' | 'missing' | 'unknown', sent: Sent): void
}

/** Returns the listener. What it finds changes nothing: who receives no message must not be sent more of them. */
export function watchDelivery({ client, arrived, afterMs = 15_000, tell }: DeliveryWatch) {
  async function look(id: string, sent: Sent): Promise<void> {
    const messages = await client.messageState({ id }).catch(() => [])
    if (messages.length === 0) return tell('unknown', sent)
    tell(messages.every(({ state = '' }) => arrived.test(state)) ? 'arrived' : 'missing', sent)
  }

  return (event: TwoFactorEvent): void => {
    if (event.type !== 'challenge.sent' || event.messageId === undefined) return
    setTimeout(look, afterMs, event.messageId, event).unref()
  }
}
