import { UsageError } from './usage.js'

/** An option for an account whose operations lie elsewhere. May be given once per operation. */
export const pathFlag = { type: 'string', multiple: true } as const

/** The option `paths` of the client, which checks it: `verifyCode=/2fa/check` becomes `{ verifyCode: '/2fa/check' }`. */
export function readPaths(given: readonly string[] = []): Readonly<Record<string, string>> {
  return Object.fromEntries(
    given.map((text) => {
      const [, operation, path] = /^(\w+)=(.*)$/.exec(text) ?? []
      if (operation !== undefined && path !== undefined) return [operation, path]
      throw new UsageError('path must be an operation and its path, such as verifyCode=/2fa/check.')
    }),
  )
}
