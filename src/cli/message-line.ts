import { loadPhoneData } from '../phone-number.js'
import type { InboxMessage } from '../sandbox/index.js'
import { printable } from './quote.js'

const maxExcerpt = 60

/** Prints each message as one line: `12:04:31 sms → +57 300 123 4567 Acme 482913`. */
export async function messagePrinter(): Promise<(message: InboxMessage) => void> {
  const { parsePhoneNumberFromString } = await loadPhoneData()
  const spaced = (phone: string) => parsePhoneNumberFromString(phone)?.formatInternational() ?? phone
  return ({ at, channel, phone, appName, code, text }) => {
    const time = new Date(at).toLocaleTimeString('en-GB')
    const excerpt = text.length > maxExcerpt ? `${text.slice(0, maxExcerpt)}…` : text
    const content = [appName, code ?? excerpt].filter((part) => part !== undefined).join(' ')
    // A message is foreign text: an escape sequence in it must not reach the terminal.
    process.stdout.write(`${time} ${channel.padEnd(4)} → ${spaced(phone)} ${printable(content)}\n`)
  }
}
