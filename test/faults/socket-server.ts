import { type AddressInfo, createServer, type Socket } from 'node:net'

export interface SocketServer {
  readonly port: number
  readonly baseUrl: string
  /** Requests received so far, as text, one per connection and arrival. */
  readonly received: string[]
  readonly connections: Socket[]
  close(): Promise<void>
}

/** A bare TCP server: what it does with a request is up to the test, down to the byte. */
export async function startSocketServer(
  onRequest: (socket: Socket, request: string, nth: number) => void,
): Promise<SocketServer> {
  const received: string[] = []
  const connections: Socket[] = []
  const server = createServer((socket) => {
    connections.push(socket)
    // The client hangs up in most of these tests; what is left to write then fails.
    socket.on('error', () => {})
    socket.on('data', (chunk) => {
      received.push(chunk.toString('latin1'))
      onRequest(socket, chunk.toString('latin1'), received.length)
    })
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const { port } = server.address() as AddressInfo
  return {
    port,
    baseUrl: `http://127.0.0.1:${port}/v1`,
    received,
    connections,
    close: () =>
      new Promise((closed) => {
        server.close(() => closed())
        for (const socket of connections) socket.destroy()
      }),
  }
}

/** A whole HTTP answer with a body of that length. */
export function answerOf(body: string, status = '200 OK', headers = ''): string {
  return `HTTP/1.1 ${status}\r\ncontent-length: ${Buffer.byteLength(body)}\r\n${headers}\r\n${body}`
}
