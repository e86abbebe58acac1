import { runInNewContext } from 'node:vm'
import { expect, it } from 'vitest'
import { adapterFunction, hostFunction, isOfHost } from '../../src/lib/host-function.js'

const failing = (thrown: unknown) => () => {
  throw thrown
}
const errorOf = (call: () => unknown): Error => {
  try {
    call()
  } catch (error) {
    return error as Error
  }
  throw new Error('nothing was thrown')
}

it('a value that a function of the app throws is an Error, of another realm too, and recognised as from the app', async () => {
  const foreign = runInNewContext('new TypeError("theirs")')
  expect(errorOf(hostFunction(failing(foreign)))).toBe(foreign)
  expect(isOfHost(foreign)).toBe(true)

  const made = errorOf(hostFunction(failing('a text')))
  expect(made).toMatchObject({
    message: 'A value of type string was thrown instead of an Error',
    cause: 'a text',
  })
  expect(isOfHost(made)).toBe(true)

  const late = await hostFunction(async () => Promise.reject(undefined))().catch((error: unknown) => error)
  expect(late).toBeInstanceOf(Error)
  expect(isOfHost(late as Error)).toBe(true)
})

it('a value that a session adapter throws is not', () => {
  const error = new Error('no session')
  expect(errorOf(adapterFunction(failing(error)))).toBe(error)
  expect(isOfHost(error)).toBe(false)
})
