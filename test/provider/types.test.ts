import { expectTypeOf, test } from 'vitest'
import type { z } from 'zod'
import type { ParamsOf, ProviderClient, ResultOf, SendCallParams } from '../../src/provider/index.js'
import type { OperationName, operations } from '../../src/provider/operations.js'
import type { Parameter } from '../../src/provider/parameter-schemas.js'

// What these lines say is checked by the type checker: `npm run check:types`.

type CamelCase<Name> = Name extends `${infer Head}${'-' | '_'}${infer Tail}`
  ? `${Head}${Capitalize<CamelCase<Tail>>}`
  : Name

type Operations = typeof operations

/** What the schemas of an operation take, under the names of this package. */
type DocumentedParams<Operation extends OperationName> = Taken<ReturnType<Operations[Operation]['params']>>
type Taken<Params extends Readonly<Record<string, Parameter>>> = {
  readonly [K in keyof Params as Params[K]['required'] extends true ? CamelCase<K> & string : never]: z.input<
    Params[K]['schema']
  >
} & {
  readonly [K in keyof Params as Params[K]['required'] extends true ? never : CamelCase<K> & string]?:
    | z.input<Params[K]['schema']>
    | undefined
}

/** What they read in an answer: each member with its type, all optional but the lists. */
type DocumentedResult<Operation extends OperationName> = Read<
  z.output<z.ZodObject<ReturnType<Operations[Operation]['fields']>>>
>
type Read<Output> = Output extends readonly (infer Entry)[]
  ? readonly Read<NonNullable<Entry>>[]
  : Output extends object
    ? {
        readonly [K in keyof Output as string extends K ? never : CamelCase<K> & string]: Read<
          NonNullable<Output[K]>
        >
      } & { readonly [member: string]: unknown }
    : Output

/** One type without intersections, all the way down, so that two of them compare member by member. */
type Plain<T> = T extends Date | string | number | boolean | undefined
  ? T
  : T extends readonly (infer Entry)[]
    ? readonly Plain<Entry>[]
    : { [K in keyof T]: Plain<T[K]> }

test('parameters match the operations exactly', () => {
  type Same<Operation extends OperationName> = [
    Plain<ParamsOf<Operation>>,
    Plain<DocumentedParams<Operation>>,
  ]
  const same = <Operation extends OperationName>() => expectTypeOf<Same<Operation>[0]>()
  expectTypeOf<keyof ParamsOf<'balance'>>().toEqualTypeOf<never>()
  same<'blockPhone'>().toEqualTypeOf<Same<'blockPhone'>[1]>()
  same<'sendSms'>().toEqualTypeOf<Same<'sendSms'>[1]>()
  same<'messageState'>().toEqualTypeOf<Same<'messageState'>[1]>()
  same<'sendSmsCode'>().toEqualTypeOf<Same<'sendSmsCode'>[1]>()
  same<'sendCallCode'>().toEqualTypeOf<Same<'sendCallCode'>[1]>()
  same<'verifyCode'>().toEqualTypeOf<Same<'verifyCode'>[1]>()
  same<'shortenUrl'>().toEqualTypeOf<Same<'shortenUrl'>[1]>()
  same<'urlStatistics'>().toEqualTypeOf<Same<'urlStatistics'>[1]>()
  // Two ways to call: each has the documented members, and which of them are required depends on the way.
  expectTypeOf<keyof ParamsOf<'sendCall'>>().toEqualTypeOf<keyof DocumentedParams<'sendCall'>>()
  expectTypeOf<SendCallParams>().toExtend<DocumentedParams<'sendCall'>>()
})

test('results have exactly the documented members, raw and with any further ones', () => {
  type Documented<Operation extends OperationName> = Plain<
    DocumentedResult<Operation> & { readonly raw: unknown }
  >
  const result = <Operation extends OperationName>() => expectTypeOf<Plain<ResultOf<Operation>>>()
  result<'blockPhone'>().toEqualTypeOf<Documented<'blockPhone'>>()
  result<'sendSms'>().toEqualTypeOf<Documented<'sendSms'>>()
  result<'sendCall'>().toEqualTypeOf<Documented<'sendCall'>>()
  result<'sendSmsCode'>().toEqualTypeOf<Documented<'sendSmsCode'>>()
  result<'sendCallCode'>().toEqualTypeOf<Documented<'sendCallCode'>>()
  result<'shortenUrl'>().toEqualTypeOf<Documented<'shortenUrl'>>()
  result<'urlStatistics'>().toEqualTypeOf<Documented<'urlStatistics'>>()
  // A list of what is documented as one object.
  expectTypeOf<Plain<ResultOf<'messageState'>[number]>>().toEqualTypeOf<
    Plain<DocumentedResult<'messageState'>>
  >()
  // The figure has a name of its own: `status` is a flag at some services.
  expectTypeOf<ResultOf<'balance'>['credits']>().toEqualTypeOf<number | undefined>()
  // No status is a verdict, so none has a type.
  expectTypeOf<ResultOf<'verifyCode'>['httpStatus']>().toEqualTypeOf<number>()
  expectTypeOf<ResultOf<'verifyCode'>['status']>().toEqualTypeOf<unknown>()
})

test('request() accepts the parameters of an operation and further ones', () => {
  type Request = ProviderClient['request']
  const use = (request: Request) => [
    request('balance', {}),
    request('balance', { currency: 'COP' }),
    request('blockPhone', { phone: '1', channel: 'CALL' }),
    // @ts-expect-error an operation has a name
    request('sendPigeon', {}),
    // @ts-expect-error the number is missing
    request('blockPhone', { channel: 'CALL' }),
  ]
  expectTypeOf(use).toBeFunction()
})
