import type { Request } from 'express'
import { hostFunction } from '../host/boundary.js'

/** Further fields for the forms of the pages, such as the token of a CSRF library that guards the whole app. */
export type FormFieldsOf = (req: Request) => Readonly<Record<string, string>>

/** What the forms of the pages say themselves. */
const taken: ReadonlySet<string> = new Set([
  'challenge',
  'channel',
  'code',
  'cookies',
  'country',
  'destination',
  'method',
  'phone',
  'purpose',
  'recoveryCode',
  'requirement',
  'returnTo',
  'trustDevice',
  'twoFactorForm',
])

/** The fields of one request, checked. Throws a TypeError that names the one that cannot stand in a form. */
export function createFormFields(option: FormFieldsOf | undefined): FormFieldsOf {
  if (option === undefined) return () => ({})
  const fieldsOf = hostFunction(option)
  return (req) => {
    const fields: unknown = fieldsOf(req)
    if (typeof fields !== 'object' || fields === null || fields instanceof Promise) {
      throw new TypeError('formFields must return an object of strings, not a promise')
    }
    for (const [name, value] of Object.entries(fields)) {
      // Parameter pollution: a second field of the same name would make an array of both.
      if (taken.has(name)) throw new TypeError(`formFields: the pages have a field "${name}" of their own`)
      if (!/^[A-Za-z_][\w.:-]{0,63}$/.test(name)) {
        throw new TypeError(
          'formFields: a name must be 1 to 64 letters, digits, dots, colons, hyphens or underscores, the first a letter or an underscore',
        )
      }
      if (typeof value !== 'string') {
        throw new TypeError(`formFields: ${name} must be a string, not ${typeof value}`)
      }
    }
    return fields as Readonly<Record<string, string>>
  }
}
