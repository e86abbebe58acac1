import { optionError } from '../../lib/options.js'
import type { Awaitable } from '../../lib/promises.js'
import type { FaultEffect, Sandbox, WaitOptions } from '../../sandbox/index.js'
import type { Wire } from './wire.js'

interface Entry {
  readonly id: string
}

/** A sandbox as far as a rehearsal uses it: of this process or of another. */
export interface HeldSandbox extends Pick<Sandbox, 'credentials' | 'approvedStatuses'> {
  readonly inbox: {
    waitFor(phone: string, options: WaitOptions): Promise<Entry & { readonly code: string }>
    list(phone?: string): Awaitable<readonly Entry[]>
  }
  readonly requests: {
    list(
      operation: 'verifyCode',
    ): Awaitable<readonly (Entry & { readonly fields: Readonly<Record<string, unknown>> })[]>
  }
  readonly faults: {
    add(fault: FaultEffect & { operation: 'verifyCode'; phone: string; times: number }): Awaitable<string>
    remove(id: string): Awaitable<unknown>
  }
}

/**
 * A sandbox that runs in another process, by its control interface.
 *
 * @throws {TypeError} when none answers
 */
export async function attachSandbox(wire: Wire): Promise<HeldSandbox> {
  async function ask(method: 'GET' | 'POST', path: string, fields: object = {}) {
    const given = Object.entries(fields).filter(([, value]) => value !== undefined)
    const query = new URLSearchParams(given)
    const response = await wire.send({
      method,
      path: `/_sandbox${path}${method === 'GET' ? `?${query}` : ''}`,
      ...(method === 'POST' && {
        body: Object.fromEntries(given),
        headers: { 'content-type': 'application/json', accept: 'application/json' },
      }),
    })
    if (response.status !== 200) throw new Error(`the sandbox answered ${response.status}: ${response.text}`)
    return method === 'GET' ? response.json : response.json.result
  }

  const { credentials, approvedStatuses } = await ask('GET', '/connection').catch((error) => {
    throw optionError(`rehearse: no sandbox answers at ${wire.origin}: ${error.message}`)
  })
  return {
    ...{ credentials, approvedStatuses },
    inbox: {
      waitFor: (phone, options) => ask('GET', '/messages/wait', { phone, ...options }),
      list: (phone) => ask('GET', '/messages', { phone }),
    },
    requests: { list: (operation) => ask('GET', '/requests', { operation }) },
    faults: {
      // JSON has no Infinity; the sandbox takes its name.
      add: (fault) => ask('POST', '/faults', { ...fault, times: String(fault.times) }),
      remove: (id) => ask('POST', '/faults/delete', { id }),
    },
  }
}

/** The same sandbox without what it saw so far: one that runs for long knows the people of earlier rehearsals. */
export async function fromNowOn(sandbox: HeldSandbox): Promise<HeldSandbox> {
  const { credentials, approvedStatuses, inbox, requests, faults } = sandbox
  const messages = await inbox.list()
  const earlier = new Set([...messages, ...(await requests.list('verifyCode'))].map(({ id }) => id))
  const isNew = ({ id }: Entry) => !earlier.has(id)
  return {
    ...{ credentials, approvedStatuses, faults },
    inbox: {
      waitFor: (phone, { after = messages[0]?.id, ...options }) =>
        inbox.waitFor(phone, { ...options, after }),
      list: async (phone) => (await inbox.list(phone)).filter(isNew),
    },
    requests: { list: async (operation) => (await requests.list(operation)).filter(isNew) },
  }
}
