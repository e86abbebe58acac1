import { isIP } from 'node:net'
import type { SignatureFactor } from '../index.js'
import { hostFunction } from '../lib/host-function.js'
import { checkOptions, optionError } from '../lib/options.js'
import { originOf } from '../lib/origin.js'
import { readName } from '../lib/typed.js'
import {
  type NewPasskey,
  type PasskeysOptions,
  passkeysChecks,
  passkeysRequired,
  type StoredPasskey,
  storedPasskeys,
} from './options.js'
import { type Creation, createRegistration } from './registration.js'
import { createSigners } from './signers.js'

/** Passkeys of your app, for the option `passkeys` of `twoFactor()` and `accountPages()`. */
export interface Passkeys extends SignatureFactor {
  /** Returns the passkeys of an account. */
  list(subject: string): Promise<readonly StoredPasskey[]>
  /**
   * Returns the options for `navigator.credentials.create({ publicKey })`. Create the challenge for this session, and
   * require a code first.
   *
   * @example
   * const publicKey = await keys.creationOptions(user.id, { challenge, account: user.email })
   */
  creationOptions(subject: string, creation: Creation): Promise<object>
  /**
   * Checks the response of the browser and saves the passkey. Resolves with undefined if it does not fit the challenge, or
   * if the account or another one has this passkey.
   *
   * @example
   * const passkey = await keys.create(user.id, { challenge, response: req.body, label: 'Ana’s phone' })
   */
  create(
    subject: string,
    created: { readonly challenge: string; readonly response: unknown; readonly label: string },
  ): Promise<NewPasskey | undefined>
  /** Gives a passkey of the account another name. Resolves with false if the account does not have it. */
  rename(subject: string, id: string, label: string): Promise<boolean>
  /** Removes a passkey of the account. Resolves with false if your app removed nothing. */
  remove(subject: string, id: string): Promise<boolean>
}

/**
 * Creates the passkeys of an app. A signature counts only with user verification, from your origins, and with a counter
 * that increases.
 *
 * @throws {TypeError} with `code: 'ERR_TWO_FACTOR_OPTION'`, naming the option and the fix
 * @example
 * const keys = passkeys({ webauthn, rpName: 'Acme', origin: 'https://acme.example', list, save, rename, remove, used })
 * const tf = twoFactor({ ...options, passkeys: keys })
 */
export function passkeys(options: PasskeysOptions): Passkeys {
  const given = checkOptions('passkeys', options, passkeysChecks, passkeysRequired)
  const origins = [given.origin].flat().flatMap((one) => originOf(one) ?? [])
  refuseAddresses(origins)
  const site = { ...given, origins, rpId: rpIdOf(origins, given.rpId) }
  const ask = hostFunction(given.list)
  const used = hostFunction(given.used)
  const save = hostFunction(given.save)
  const rename = hostFunction(given.rename)
  const remove = hostFunction(given.remove)
  const openSigner = createSigners(site, used)
  const registration = createRegistration(site)

  const list = hostFunction(async (subject: string): Promise<readonly StoredPasskey[]> => {
    const stored = await ask(subject)
    storedPasskeys(stored, 'passkeys: list')
    return stored
  })

  return {
    list,
    async signerOf(subject) {
      const stored = await list(subject)
      return stored.length === 0 ? undefined : openSigner(subject, stored)
    },
    creationOptions: async (subject, creation) =>
      registration.optionsFor(subject, await list(subject), creation),
    async create(subject, { challenge, response, label }) {
      const created = await registration.read(challenge, response)
      if (created === undefined) return undefined
      // A passkey that is saved again would get its first counter back, with which a copy of it is accepted.
      if ((await list(subject)).some(({ id }) => id === created.id)) return undefined
      const passkey = { ...created, label: readName(label), createdAt: Date.now() }
      return (await save(subject, passkey)) === false ? undefined : passkey
    },
    rename: async (subject, id, label) => (await rename(subject, id, readName(label))) !== false,
    remove: async (subject, id) => (await remove(subject, id)) !== false,
  }
}

/** Refuses an IP address. It is no valid domain (WebAuthn, 5.1.3), so every browser would refuse every passkey. */
function refuseAddresses(origins: readonly string[]): void {
  for (const origin of origins) {
    const { hostname, href } = new URL(origin)
    if (isIP(hostname.replace(/^\[|\]$/g, '')) === 0) continue
    const local = href.replace(hostname, 'localhost').replace(/\/$/, '')
    throw optionError(
      `passkeys: origin: browsers create no passkeys at an IP address; on your machine, open ${local} and set it as origin, elsewhere use a domain`,
    )
  }
}

/** Returns the domain of the passkeys. A browser refuses a domain to which the page does not belong. */
function rpIdOf(origins: readonly string[], given: string | undefined): string {
  const hosts = origins.map((origin) => new URL(origin).hostname)
  const [rpId = ''] = given === undefined ? hosts : [given]
  const stray = hosts.find((host) => host !== rpId && !host.endsWith(`.${rpId}`))
  if (stray === undefined) return rpId
  throw optionError(`passkeys: ${stray} is not in the domain "${rpId}"; set rpId to a domain of all origins`)
}
