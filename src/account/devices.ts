import type { RouteKit } from './route-kit.js'

/** Trusted browsers and other sessions: end one, all, everything. */
export function addDeviceRoutes({ tf, changes, alreadySo, change }: RouteKit): void {
  changes('/devices/end', async (visit) => {
    const { subject, fields } = visit
    const device = (await tf.trustedDevices.list(subject)).find(({ id }) => id === fields.device)
    if (device === undefined) return alreadySo
    return change(visit, { kind: 'device-ended', device }, () => tf.trustedDevices.revoke(subject, device.id))
  })
  changes('/devices/end-all', (visit) => {
    const store = () => tf.trustedDevices.revokeSubject(visit.subject)
    return change(visit, { kind: 'devices-ended' }, store)
  })
  // Nothing is stored: every change is followed by this.
  changes('/sign-out', (visit) => change(visit, { kind: 'signed-out-elsewhere' }, () => true))
}
