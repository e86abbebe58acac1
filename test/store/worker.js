/* A process with one cluster worker, which starts an app that passed no store. Prints what became of it. */
import cluster from 'node:cluster'
import { twoFactor } from 'express-two-factor'

if (cluster.isPrimary) {
  cluster.fork().on('message', (told) => process.stdout.write(told))
} else {
  process.send(start())
  process.disconnect()
}

function start() {
  try {
    twoFactor({
      provider: { sendCode: async () => ({ result: 'sent' }), checkCode: async () => 'approved' },
      appName: 'Acme',
      secret: 'a secret of thirty-two bytes or more',
      countries: ['CO'],
      subject: () => undefined,
      phone: () => undefined,
    })
    return 'started'
  } catch (error) {
    return `${error.code}: ${error.message}`
  }
}
