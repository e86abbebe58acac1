import { afterAll, beforeEach } from 'vitest'
import { type SandboxOptions, startSandbox } from '../../../src/tools/sandbox/index.js'

/** One answer of the service as it came over the wire. */
export interface WireAnswer {
  readonly status: number
  readonly body: Readonly<Record<string, unknown>>
}

async function read(response: Response): Promise<WireAnswer> {
  return { status: response.status, body: (await response.json()) as WireAnswer['body'] }
}

/** Sends a form as any HTTP client would, with the sandbox's default credentials unless told otherwise. */
export async function post(url: string, fields: Record<string, string>): Promise<WireAnswer> {
  const body = new URLSearchParams({ client: '100200', key: 'sandbox-key', ...fields })
  return read(await fetch(url, { method: 'POST', body }))
}

export async function get(url: string, fields: Record<string, string>): Promise<WireAnswer> {
  return read(
    await fetch(`${url}?${new URLSearchParams({ client: '100200', key: 'sandbox-key', ...fields })}`),
  )
}

/** A sandbox for the tests of a file, as it begins for each of them, and the way to ask its provider. */
export async function sandboxed(options: SandboxOptions = {}) {
  const sandbox = await startSandbox(options)
  beforeEach(() => sandbox.reset())
  afterAll(() => sandbox.close())
  return {
    sandbox,
    get: (path: string, fields: Record<string, string> = {}) => get(`${sandbox.baseUrl}${path}`, fields),
    post: (path: string, fields: Record<string, string>) => post(`${sandbox.baseUrl}${path}`, fields),
  }
}
