import type { RequestHandler } from 'express'
import { optionError } from '../../lib/options.js'
import type { Handlers } from '../flows/handlers.js'

/** Express calls a middleware with three arguments: a factory that gets them was passed uncalled. */
export function factory<Args extends readonly unknown[], Made>(
  name: string,
  make: (...args: Args) => Made,
): (...args: Args) => Made {
  return (...args) => {
    if (args.length > 1) {
      throw optionError(`pass ${name}(), not ${name}`)
    }
    return make(...args)
  }
}

/** The same for a factory without options: it would silently ignore them. */
export function plainFactory<Made>(name: string, make: () => Made): () => Made {
  return factory(name, (given?: unknown) => {
    if (given !== undefined) throw optionError(`${name}: takes no options`)
    return make()
  })
}

/** The handlers that need no options, each to be mounted by hand. */
export function singleHandlers({
  resend,
  verify,
  cancel,
  status,
}: Handlers): Readonly<Record<'resend' | 'verify' | 'cancel' | 'status', () => RequestHandler>> {
  return {
    resend: plainFactory('resend', () => resend),
    verify: plainFactory('verify', () => verify),
    cancel: plainFactory('cancel', () => cancel),
    status: plainFactory('status', () => status),
  }
}
