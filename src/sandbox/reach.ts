import { isIP } from 'node:net'
import type { SandboxSettings } from './options.js'

/** Where a sandbox is reached, once its port is known. */
export interface Reach {
  /** Scheme, host and port that are shown, and that short URLs begin with. */
  readonly origin: string
  readonly baseUrl: string
  /** What a Host header may hold, in lower case: with a port that very port, without one any. */
  readonly allowedHosts: readonly string[]
}

const loopbackNames = ['127.0.0.1', 'localhost', '[::1]']
/** Addresses that stand for every interface of the machine. */
const wildcards = ['0.0.0.0', '::']

export function reachOf(
  {
    host,
    publicUrl,
    basePath,
    allowedHosts,
  }: Pick<SandboxSettings, 'host' | 'publicUrl' | 'basePath' | 'allowedHosts'>,
  port: number,
): Reach {
  const name = wildcards.includes(host) ? '127.0.0.1' : isIP(host) === 6 ? `[${host}]` : host
  const origin = publicUrl === undefined ? `http://${name}:${port}` : new URL(publicUrl).origin
  // An IP address cannot be rebound, so the one listened on is as safe as the loopback names.
  const own = [...loopbackNames, name].map((one) => `${one}:${port}`)
  const published = publicUrl === undefined ? [] : [new URL(publicUrl).host]
  const all = [...own, ...published, ...allowedHosts].map((one) => one.toLowerCase())
  return { origin, baseUrl: `${origin}${basePath}`, allowedHosts: [...new Set(all)] }
}
