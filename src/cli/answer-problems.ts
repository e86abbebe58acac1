import { type ClientOptions, resolveClientOptions } from '../provider/client-options.js'
import { encodeParams } from '../provider/wire.js'

const fitting = { baseUrl: 'https://api.example.com/v1', client: 1, key: 'key' }

/** What the client would say about one of its options. */
export function clientProblem(option: Partial<ClientOptions>): string | undefined {
  return problemOf(() => resolveClientOptions({ ...fitting, ...option }))
}

/** What the client would say about a number, as it is typed. */
export function phoneProblem(spelled: string): string | undefined {
  const phone = compact(spelled)
  return problemOf(() => encodeParams('sendSmsCode', { phone, appName: 'app' }, 'digits', 'refused'))
}

export function channelProblem(channel: string): string | undefined {
  return channel === 'sms' || channel === 'call' ? undefined : 'channel must be sms or call.'
}

/** A number without what people put between its digits. */
export function compact(phone: string): string {
  return phone.replaceAll(/[\s().-]/g, '')
}

function problemOf(check: () => unknown): string | undefined {
  try {
    check()
    return undefined
  } catch (error) {
    if (error instanceof TypeError) return `${error.message.replace(/^\w+: /, '')}.`
    throw error
  }
}
