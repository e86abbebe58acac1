import { present } from '../../../lib/json.js'
import { optionError } from '../../../lib/options.js'
import type { Awaitable } from '../../../lib/promises.js'
import type { Fault, FaultEffect, Sandbox, WaitOptions } from '../../sandbox/index.js'
import { createAgent } from './agent.js'
import type { RehearsalResponse, Wire } from './wire.js'

interface Entry {
  readonly id: string
}

/** The part of a sandbox that a rehearsal uses, in this process or another. */
export interface HeldSandbox extends Pick<Sandbox, 'credentials' | 'approvedStatuses'> {
  readonly inbox: {
    waitFor(phone: string, options: WaitOptions): Promise<Entry & { readonly code: string }>
    list(phone?: string): Awaitable<readonly Entry[]>
  }
  readonly faults: {
    add(fault: FaultEffect & { operation: 'verifyCode'; phone: string; times: number }): Awaitable<string>
    remove(id: string): Awaitable<unknown>
    list(): Awaitable<readonly { readonly fault: Pick<Fault, 'kind' | 'phone' | 'operation'> }[]>
  }
}

/**
 * Connects to a sandbox in another process, by its control interface.
 *
 * @throws {TypeError} when none answers
 */
export async function attachSandbox(wire: Wire): Promise<HeldSandbox> {
  const agent = createAgent(wire)

  function documentOf({ status, text, json }: RehearsalResponse) {
    if (status !== 200) throw new Error(`the sandbox answered ${status}: ${text}`)
    return json
  }
  async function get(path: string, fields: object = {}) {
    const query = new URLSearchParams(Object.entries(present(fields)))
    return documentOf(await agent.get(`/_sandbox${path}?${query}`))
  }
  async function post(path: string, fields: object) {
    return documentOf(await agent.post(`/_sandbox${path}`, fields)).result
  }

  const { credentials, approvedStatuses } = await get('/connection').catch((error) => {
    throw optionError(`rehearse: no sandbox responds at ${wire.origin}: ${error.message}`)
  })
  return {
    credentials,
    approvedStatuses,
    inbox: {
      waitFor: (phone, options) => get('/messages/wait', { phone, ...options }),
      list: (phone) => get('/messages', { phone }),
    },
    faults: {
      // JSON has no Infinity, so the sandbox accepts its name.
      add: (fault) => post('/faults', { ...fault, times: String(fault.times) }),
      remove: (id) => post('/faults/delete', { id }),
      list: () => get('/faults'),
    },
  }
}
