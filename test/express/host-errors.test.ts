import { describe, expect, it } from 'vitest'
import { TwoFactorError, type TwoFactorOptions } from '../../src/index.js'
import { phones, startHost } from './kit.js'

/** An error of ours that the host met elsewhere, such as that of a greeting by SMS that was not taken. */
const trouble = () => new TwoFactorError('delivery_failed')

const throws = () => {
  throw trouble()
}
const rejects = () => Promise.reject(trouble())

/** As query builders are: each `then` asks anew. */
let asked = 0
const rejectsLater = () =>
  Object.fromEntries([
    [
      'then',
      (_: unknown, reject: (error: unknown) => void) => {
        asked += 1
        reject(trouble())
      },
    ],
  ]) as unknown as Promise<never>

describe('an error that a function of the host throws', () => {
  it.each<[string, () => never | Promise<never>]>([
    ['throws', throws],
    ['rejects', rejects],
    ['is a query that fails', rejectsLater],
  ])('reaches the error handler of the host, whatever error it is, when it %s', async (_how, fails) => {
    let failing: keyof TwoFactorOptions | undefined
    const unless = <Answer>(name: keyof TwoFactorOptions, answer: () => Answer) => {
      return () => (failing === name ? fails() : answer())
    }
    const host = await startHost({
      options: {
        phone: unless('phone', () => phones.ana),
        beforeSend: unless('beforeSend', () => true),
        onVerified: unless('onVerified', () => undefined),
      },
    })
    const ana = await host.login()
    failing = 'phone'
    expect((await ana.start()).json).toEqual({ host: 'delivery_failed' })
    failing = 'beforeSend'
    expect((await ana.start()).json).toEqual({ host: 'delivery_failed' })
    expect(host.stub.sends).toEqual([])

    failing = undefined
    expect((await ana.start()).status).toBe(201)
    failing = 'onVerified'
    const told = await ana.submit('/two-factor/verify', { code: host.stub.rightCode })
    expect(told.json).toEqual({ host: 'delivery_failed' })
    expect((await ana.get('/account')).status).toBe(403)
    expect(host.errors).toHaveLength(3)
    expect(asked).toBe(fails === rejectsLater ? 3 : 0)
  })

  it('reaches it from the guard as well', async () => {
    let subject: () => string = () => 'ana'
    const host = await startHost({
      options: { subject: () => subject() },
      mount: (app, tf) => {
        app.get('/bound', tf.requireTwoFactor({ purpose: 'bound', bind: throws }))
        app.get('/exempt', tf.requireTwoFactor({ exempt: rejects }))
      },
    })
    const ana = host.browser()
    expect((await ana.get('/bound')).json).toEqual({ host: 'delivery_failed' })
    expect((await ana.get('/exempt')).json).toEqual({ host: 'delivery_failed' })
    subject = throws
    expect((await ana.get('/account')).json).toEqual({ host: 'delivery_failed' })
    expect((await ana.verify('123456')).json).toEqual({ host: 'delivery_failed' })
  })
})

describe('a host that throws behind the guard', () => {
  it('is answered, also where the guard had to wait', async () => {
    const host = await startHost({
      mount: (app, tf) => {
        const guard = tf.requireTwoFactor({ once: true })
        app.get('/once', (req, res, next) => {
          guard(req, res, (error) => {
            if (error !== undefined) return next(error)
            throw new Error('behind the guard')
          })
        })
      },
    })
    const ana = await host.signIn()
    expect(await ana.get('/once')).toMatchObject({ status: 500, json: { host: 'behind the guard' } })
  })
})
