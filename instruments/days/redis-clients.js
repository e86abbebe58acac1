import { once } from 'node:events'
import { Redis } from 'ioredis'
import { createClient } from 'redis'

const retryMs = 50

/** Both clients, each as an app would connect it: `send` for one command, `close` for the connection. */
export const connect = {
  async redis(port) {
    const socket = { host: '127.0.0.1', port, reconnectStrategy: () => retryMs }
    const client = createClient({ socket, disableOfflineQueue: true }).on('error', () => {})
    await client.connect()
    return { send: (args) => client.sendCommand(args), close: async () => client.destroy() }
  },

  async ioredis(port) {
    const client = new Redis(port, { retryStrategy: () => retryMs }).on('error', () => {})
    if (client.status !== 'ready') await once(client, 'ready')
    return {
      send: ([command, ...args]) => client.call(command, ...args),
      async close() {
        const ended = once(client, 'end')
        client.disconnect()
        await ended
      },
    }
  },
}
