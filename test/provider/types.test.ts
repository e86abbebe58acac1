import { expectTypeOf, test } from 'vitest'
import type { ParamsOf, ProviderClient, ResultOf, SendCallParams } from '../../src/provider/index.js'

// Compiled, not run: what these lines say is checked by the type checker.

test('a call speaks a text or plays an audio', () => {
  expectTypeOf({ phone: '1', message: 'a', voice: 'Mia' } as const).toExtend<SendCallParams>()
  expectTypeOf({ phone: ['1'], audioCode: 'a' } as const).toExtend<SendCallParams>()
  expectTypeOf({ phone: '1' } as const).not.toExtend<SendCallParams>()
  expectTypeOf({ phone: '1', message: 'a' } as const).not.toExtend<SendCallParams>()
  expectTypeOf({
    phone: '1',
    message: 'a',
    voice: 'Mia',
    audioCode: 'a',
  } as const).not.toExtend<SendCallParams>()
})

test('parameters are named in camel case and typed by the operation', () => {
  expectTypeOf<ParamsOf<'sendSms'>['phone']>().toEqualTypeOf<string | readonly string[]>()
  expectTypeOf<ParamsOf<'sendSmsCode'>['phone']>().toEqualTypeOf<string>()
  expectTypeOf<ParamsOf<'sendCallCode'>['voice']>().toExtend<string>()
  expectTypeOf<'Marian' | 'Mariana'>().toExtend<ParamsOf<'sendCallCode'>['voice']>()
  expectTypeOf<'Ana'>().not.toExtend<ParamsOf<'sendCallCode'>['voice']>()
  expectTypeOf<ParamsOf<'urlStatistics'>['since']>().toEqualTypeOf<string | Date>()
  expectTypeOf<'browser'>().toExtend<ParamsOf<'urlStatistics'>['category']>()
  expectTypeOf<ParamsOf<'shortenUrl'>['isPremium']>().toEqualTypeOf<boolean | undefined>()
  expectTypeOf({ phone: '1', appName: 'a', countryCode: undefined }).toExtend<ParamsOf<'sendSmsCode'>>()
  expectTypeOf({ phone: '1' }).not.toExtend<ParamsOf<'sendSmsCode'>>()
})

test('results are typed as documented, and whatever else came is unknown', () => {
  expectTypeOf<ResultOf<'balance'>['credits']>().toEqualTypeOf<number | undefined>()
  expectTypeOf<ResultOf<'sendSmsCode'>['minutesToExpire']>().toEqualTypeOf<number | undefined>()
  expectTypeOf<ResultOf<'sendSms'>['data'][number]['phone']>().toEqualTypeOf<string | undefined>()
  expectTypeOf<ResultOf<'messageState'>[number]['dispatchId']>().toEqualTypeOf<string | undefined>()
  expectTypeOf<ResultOf<'verifyCode'>['httpStatus']>().toEqualTypeOf<number>()
  expectTypeOf<ResultOf<'verifyCode'>['status']>().toEqualTypeOf<unknown>()
  type City = NonNullable<ResultOf<'urlStatistics'>['metrics'][number]['city']>
  expectTypeOf<City['percent']>().toEqualTypeOf<number | undefined>()
  expectTypeOf<ResultOf<'shortenUrl'>['quota']>().toEqualTypeOf<unknown>()
  expectTypeOf<ResultOf<'shortenUrl'>['raw']>().toEqualTypeOf<unknown>()
})

test('request() takes what an operation takes, and more', () => {
  type Request = ProviderClient['request']
  const use = (request: Request) => [
    request('blockPhone', { phone: '1', channel: 'CALL' }),
    // @ts-expect-error an operation has a name
    request('sendPigeon', {}),
    // @ts-expect-error the number is missing
    request('blockPhone', { channel: 'CALL' }),
  ]
  expectTypeOf(use).toBeFunction()
})
