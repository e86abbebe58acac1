import { expect } from 'vitest'
import type { ProviderStub } from '../provider-stub.js'
import type { Instance } from './processes.js'

let newcomers = 1_000

const newToken = () => {
  newcomers += 1
  return `${newcomers}.laptop`
}

export type Person = ReturnType<typeof newcomer>

/** Somebody with a number of their own, who has given a password to an instance. */
export function newcomer(instance: Instance, token = newToken()) {
  return {
    token,
    start: () => instance.ask('POST', '/two-factor/start', token),
    resend: () => instance.ask('POST', '/two-factor/resend', token),
    verify: (code: string) => instance.ask('POST', '/two-factor/verify', token, { code }),
    cancel: () => instance.ask('POST', '/two-factor/cancel', token),
    status: () => instance.ask('GET', '/two-factor', token),
    account: () => instance.ask('GET', '/account', token),
    transfer: () => instance.ask('POST', '/transfer', token),
  }
}

export async function challenged(instance: Instance): Promise<Person> {
  const person = newcomer(instance)
  expect((await person.start()).status).toBe(201)
  return person
}

export async function signedIn(instance: Instance, stub: ProviderStub): Promise<Person> {
  const person = await challenged(instance)
  expect((await person.verify(stub.rightCode)).status).toBe(200)
  return person
}
