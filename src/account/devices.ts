import type { Router } from 'express'
import type { Desk } from './desk.js'

/** Trusted browsers and other sessions: end one, all, everything. */
export function addDeviceRoutes(router: Router, { tf, refusal, change }: Desk): void {
  router.post(
    '/devices/end',
    tf.ownRoute('POST', async (visit) => {
      const { subject, fields } = visit
      const found = (await tf.trustedDevices.list(subject)).find(({ id }) => id === fields.device)
      if (found === undefined) return refusal(visit, 'stale')
      const { id, label } = found
      const store = () => tf.trustedDevices.revoke(subject, id)
      return change(visit, { kind: 'device-ended', device: { id, label } }, store)
    }),
  )
  router.post(
    '/devices/end-all',
    tf.ownRoute('POST', (visit) => {
      const store = () => tf.trustedDevices.revokeSubject(visit.subject)
      return change(visit, { kind: 'devices-ended' }, store)
    }),
  )
  router.post(
    '/sign-out',
    // Nothing is stored: every change is followed by this.
    tf.ownRoute('POST', (visit) => change(visit, { kind: 'signed-out-elsewhere' }, () => true)),
  )
}
