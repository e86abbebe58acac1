import { foreign } from './packages.js'

/** Sends and checks codes with the SDK of a verify service. */
export function checksBySdk(provider) {
  const client = foreign('twilio')('AC1', 'token', { accountSid: 'AC1' })
  client.verify.baseUrl = provider
  const service = client.verify.v2.services('VA1')
  return {
    send: (to) => service.verifications.create({ to, channel: 'sms' }),
    async isRight(to, code) {
      const { status } = await service.verificationChecks.create({ to, code })
      return status === 'approved'
    },
  }
}
