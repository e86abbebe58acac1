import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text as readText } from 'node:stream/consumers'
import { optionError } from '../../../lib/options.js'
import { createWire, isOwnAddress, type RehearsalResponse } from './wire.js'

/** Headers of one connection, or of the encoding of a body. */
const notPassedOn = /^(connection|keep-alive|upgrade|host|transfer-encoding|content-length|accept-encoding)$/

/**
 * Proxies an app of this machine while a person signs in by hand. Resolves, once a request below `mount` (the path of
 * `routes()`) shows that a code is required, with a `signIn` that makes these requests. It contains no typed value:
 * each field becomes a member of the person. Passes on only texts, so images may be missing.
 */
export async function recordSignIn(
  app: string,
  mount: string,
  listening: (address: string) => void,
): Promise<string> {
  if (!isOwnAddress(app)) throw optionError(`rehearse: ${app} must be an address on this machine`)
  const { origin } = new URL(app)
  const wire = createWire(origin)
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const exchanges: RehearsalResponse[] = []
  const isAsked = new Promise<void>((resolve, reject) => {
    server.on('request', async (req, res) => {
      const { method = 'GET', url: path = '/' } = req
      const headers = Object.entries(req.headers).flatMap(([name, value]) =>
        notPassedOn.test(name) ? [] : [[name, String(value).replace(address, origin)]],
      )
      try {
        const body = (await readText(req)) || undefined
        const exchange = await wire.send({ method, path, body, headers: Object.fromEntries(headers) })
        for (const [name, value = ''] of Object.entries(exchange.headers)) {
          const isWay = name === 'location'
          if (!notPassedOn.test(name))
            res.setHeader(name, isWay ? String(value).replace(origin, address) : value)
        }
        if (path.startsWith(mount)) res.once('close', resolve)
        else exchanges.push(exchange)
        res.writeHead(exchange.status).end(exchange.text)
      } catch (error) {
        reject(error)
      }
    })
  })
  try {
    listening(address)
    await isAsked
  } finally {
    wire.close()
    server.closeAllConnections()
    server.close()
  }
  return signInOf(exchanges)
}

/** Selects the requests that change something, or that return a cookie or a token that is sent later. */
function signInOf(exchanges: readonly RehearsalResponse[]): string {
  const read = new Set<number>()

  function expressionOf(name: string, value: string, at: number): string {
    const source = exchanges
      .slice(0, at)
      .findLastIndex(({ text }) => value.length > 8 && text.includes(value))
    const cut = cutOf(exchanges[source]?.text ?? '', value)
    if (cut === undefined) return `person[${quoted(name)}]`
    read.add(source)
    return `page${source}.text${cut}`
  }

  const calls = exchanges.map(({ request: { method, path, body, headers = {} } }, at) => {
    const type = headers['content-type'] ?? ''
    const isForm = /urlencoded/.test(type)
    // The reader must add any other format by hand.
    const json = /json/.test(type) ? JSON.parse(String(body)) : {}
    const given = isForm ? new URLSearchParams(String(body)) : Object.entries(json ?? {})
    const fields = [...given].map(
      ([name, value]) => `${quoted(name)}: ${expressionOf(name, String(value), at)}`,
    )
    const object = `{ ${fields.join(', ')} }`
    const sent = body === undefined ? '' : `, body: ${isForm ? `new URLSearchParams(${object})` : object}`
    const accept = /text\/html/.test(headers.accept ?? '') ? ", headers: { accept: 'text/html' }" : ''
    return `agent.send({ method: ${quoted(method)}, path: ${quoted(path)}${sent}${accept} })`
  })
  const lines = calls.flatMap((call, at) => {
    if (read.has(at)) return [`  const page${at} = await ${call}`]
    const { request, headers } = exchanges[at] as RehearsalResponse
    return request.method !== 'GET' || headers['set-cookie'] !== undefined ? [`  await ${call}`] : []
  })
  return ['signIn: async (agent, person) => {', ...lines, '},'].join('\n')
}

/** A longer text contains more parts that differ each time. */
const maxAnchor = 200

/** Returns code that cuts a value out of such a text, by the text around it; undefined if this is ambiguous. */
function cutOf(text: string, value: string): string | undefined {
  const at = text.indexOf(value)
  const end = text.charAt(at + value.length)
  for (let from = at; from >= Math.max(0, at - maxAnchor); from -= 1) {
    const start = text.slice(from, at)
    const isPart = from === 0 || /[<{,\n]/.test(text.charAt(from - 1))
    const rest = start === '' ? text : (text.split(start)[1] ?? '')
    if (!isPart || (end === '' ? rest : rest.split(end, 1)[0]) !== value) continue
    const afterStart = start === '' ? '' : `.split(${quoted(start)})[1]`
    return end === '' ? afterStart : `${afterStart}.split(${quoted(end)})[0]`
  }
  return undefined
}

const quoted = (text: string) =>
  `'${text.replaceAll(/['\\]/g, '\\$&').replaceAll('\n', '\\n').replaceAll('\r', '\\r')}'`
