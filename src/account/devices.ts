import type { RouteKit } from './route-kit.js'

/** Adds the routes that end trusted browsers and sign out other sessions. */
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
  // The sign-out stores nothing: it follows every change anyway.
  changes('/sign-out', (visit) => change(visit, { kind: 'signed-out-elsewhere' }, () => true))
}
