// A deploy without failed requests: endOnSigterm(app.listen(3000), async () => { await tf.close(); redis.destroy() })
import type { Server } from 'node:http'

/**
 * Ends the process on SIGTERM: refuses new requests, completes the requests under way, and then calls `close`, which
 * ends everything else that keeps the process alive. Without a request this takes a tenth of a second.
 *
 * `server.close()` would wait for browsers: for five seconds after each response, and without a limit on a connection
 * that a browser opened in advance.
 *
 * @param longestMs time after which a request is cut off; a send takes 10 s at most
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
