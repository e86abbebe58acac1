// Requests once the state of each sent code, and reports whether it has arrived, by country and method:
// const onEvent = watchDelivery({ client, tell: (fate, { country }) => fates.inc({ fate, country }) })
// twoFactor({ provider: providerCodes({ client, approvedStatuses }), onEvent })
import type { ProviderClient, TwoFactorEvent } from 'express-two-factor'

export type Sent = Extract<TwoFactorEvent, { readonly type: 'challenge.sent' }>

export interface DeliveryWatch {
  /** The account that sends the codes. With several, compare `provider` of the event first. */
  readonly client: Pick<ProviderClient, 'messageState'>
  /** The meaning of further words of the account, such as `{ 'fora de área': 'missing' }`: `npx express-two-factor calibrate` shows one. */
  readonly words?: Readonly<Record<string, 'arrived' | 'missing'>>
  /** Time after the send at which the state is requested, in milliseconds. Default: 15 seconds. */
  readonly afterMs?: number
  /** Called for each code. `missing`: lost, or still on its way. `unknown`: no state, or an unknown word. */
  tell(fate: 'arrived' | 'missing' | 'unknown', sent: Sent): void
}

/** Words of SMPP 3.4 (appendix B), and of accounts in English, Spanish and Portuguese. */
const field = {
  // First, because "no entregado" contains a word of delivered messages.
  missing: `
    undeliv expired rejectd deleted enroute acceptd
    no not sin error failed undelivered undeliverable rejected unreachable blocked busy voicemail sent sending queued pending accepted ringing
    fallido fallida fallo vencido vencida caducado expirado expirada rechazado rechazada eliminado inaccesible bloqueado ocupado ocupada
    buzon apagado enviado enviada enviando pendiente aceptado aceptada llamando
    nao sem erro falhou falha rejeitado rejeitada excluido inacessivel ocupado caixa desligado enviando pendente aceito chamando`,
  arrived: `
    delivrd
    delivered received read answered
    entregado entregada recibido recibida leido leida confirmado confirmada contestado contestada atendida
    entregue recebido recebida lido lida confirmado confirmada atendido`,
} as const

/** Words without capitals, accents and signs, between single spaces. */
function plain(text: string): string {
  const letters = text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase()
  return ` ${letters.match(/\p{L}+/gu)?.join(' ') ?? ''} `
}

/** Returns the listener. It only reports: a user who receives no message must not be sent more of them. */
export function watchDelivery({ client, words = {}, afterMs = 15_000, tell }: DeliveryWatch) {
  const known = [
    ...Object.entries(words).map(([word, fate]) => [plain(word), fate] as const),
    ...(['missing', 'arrived'] as const).flatMap((fate) =>
      field[fate]
        .split(/\s+/)
        .filter(Boolean)
        .map((word) => [plain(word), fate] as const),
    ),
  ]

  function fateOf(state = '') {
    // A receipt quotes the text of the message, which does not describe its state.
    const said = plain(/\bstat:\s*(\w+)/i.exec(state)?.[1] ?? state)
    return known.find(([word]) => said.includes(word))?.[1] ?? 'unknown'
  }

  async function look(id: string, sent: Sent): Promise<void> {
    const messages = await client.messageState({ id }).catch(() => [])
    const fates = messages.map(({ state }) => fateOf(state))
    // If one of several parts is missing, the code cannot be read.
    const worst = (['missing', 'unknown', 'arrived'] as const).find((fate) => fates.includes(fate))
    tell(worst ?? 'unknown', sent)
  }

  return (event: TwoFactorEvent): void => {
    if (event.type !== 'challenge.sent' || event.messageId === undefined) return
    setTimeout(look, afterMs, event.messageId, event).unref()
  }
}
