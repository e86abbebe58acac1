// A deploy that nobody notices: endOnSigterm(app.listen(3000), async () => { await tf.close(); redis.destroy() })
import type { Server } from 'node:http'

/**
 * Ends the process on SIGTERM: nothing new is taken, what is under way is answered, and then `close` is called, for
 * whatever else keeps the process alive. Where nothing is under way it takes a tenth of a second. `server.close()` alone
 * waits for browsers: five seconds after each response for the next request, and as long as they like on a connection
 * that they opened in advance.
 *
 * @param longestMs what is under way for longer is cut off; a send takes 10 s at most
 */
export function endOnSigterm(server: Server, close: () => Promise<unknown>, longestMs = 15_000): void {
  let underWay = 0
  server.on('request', (_req, res) => {
    underWay += 1
    res.once('close', () => {
      underWay -= 1
    })
  })
  process.once('SIGTERM', () => {
    const latest = Date.now() + longestMs
    const looking = setInterval(() => {
      if (underWay === 0 || Date.now() >= latest) server.closeAllConnections()
    }, 100)
    server.close(() => {
      clearInterval(looking)
      close().catch((error) => console.error(error))
    })
  })
}
