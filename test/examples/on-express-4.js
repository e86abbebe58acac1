// For `node --import`: whatever asks for express gets Express 4, as an app on that line would.
import Module, { register } from 'node:module'

const hook = `export const resolve = (specifier, context, next) =>
  next(specifier === 'express' ? 'express4' : specifier, context)`
register(`data:text/javascript,${encodeURIComponent(hook)}`)

const resolveFilename = Module._resolveFilename
Module._resolveFilename = (request, ...rest) =>
  resolveFilename.call(Module, request === 'express' ? 'express4' : request, ...rest)
