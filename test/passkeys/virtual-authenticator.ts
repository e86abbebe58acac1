import type { CDPSession } from 'playwright-core'

/** Adds an authenticator to a tab. It takes each user for its owner. Resolves with its id. */
export async function addVirtualAuthenticator(tab: CDPSession): Promise<string> {
  await tab.send('WebAuthn.enable')
  const { authenticatorId } = await tab.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  })
  return authenticatorId
}
