import {
  isMethodName,
  methodNameRule,
  passkeyMethod,
  proofKinds,
} from '../challenge/exchange/code-provider.js'
import {
  boolean,
  type Check,
  integer,
  list,
  nonEmptyString,
  object,
  oneOf,
  optionError,
  that,
  timeoutMs,
  withMethods,
} from '../lib/options.js'
import { anyVoice } from './parameter-schemas.js'

/** A voice of either call operation. The documentation spells one voice in two ways. */
export const voice = oneOf(...anyVoice)

const reservedNames: readonly string[] = [...proofKinds, passkeyMethod]

const methodName = that(
  `${methodNameRule}, and none of the kinds of proof: ${reservedNames.join(', ')}`,
  (value) => isMethodName(value) && !reservedNames.includes(value),
)
const method = object({ name: methodName, label: nonEmptyString('the name that users see') }, ['name'])
const methods = list(method, 'must list at least one method: { name, label }', 1)

/** Returns the check of a code provider and its declared members. */
export function codeProvider(fix: string, isName: Check = nonEmptyString()): Check {
  const canDo = withMethods(['sendCode', 'checkCode'], fix)
  return (value, name) => {
    const given = Object(canDo(value, name))
    const gone = ['oneCode', 'cancelCode'].find((member) => given[member] !== undefined)
    if (gone !== undefined) {
      throw optionError(
        `${name}.${gone} was removed: cancel the code of previousHandle in sendCode({ previousHandle }), and return cancelled: true with the result`,
      )
    }
    const { name: own, timeoutMs: ms, maxExchanges, methods: declared, tellsCodesApart } = given
    if (own !== undefined) isName(own, `${name}.name`)
    if (ms !== undefined) timeoutMs(ms, `${name}.timeoutMs`)
    if (maxExchanges !== undefined) mostExchanges(maxExchanges, `${name}.maxExchanges`)
    if (tellsCodesApart !== undefined) boolean(tellsCodesApart, `${name}.tellsCodesApart`)
    if (declared !== undefined) methods(declared, `${name}.methods`)
    return value
  }
}

/** Maximum of concurrent requests to a service. */
export const mostExchanges = integer(3, 10_000)

/** A name is part of handles, which every challenge stores. */
export const providerName = that(
  'must be a string of 1 to 40 letters, digits, dots, hyphens or underscores',
  (value) => typeof value === 'string' && /^[\w.-]{1,40}$/.test(value),
)
