/**
 * Shows the form for passkeys if the browser has them. The browser signs, or creates a passkey, before the form is sent. A
 * cancelled prompt leaves the page as it is.
 */
export function offerPasskey(screen: ParentNode, signal: AbortSignal): void {
  const form = screen.querySelector<HTMLFormElement>('form[data-passkey], form[data-new-passkey]')
  const field = form?.querySelector<HTMLInputElement>('[name=passkey]')
  const status = form?.querySelector<HTMLElement>('[data-cancelled]')
  if (!form || !field || !hasPasskeys()) return
  form.hidden = false
  for (const note of screen.querySelectorAll<HTMLElement>('[data-without-passkey]')) note.hidden = true
  // One main button.
  for (const { classList } of screen.querySelectorAll('form[data-passkey] ~ form .main')) {
    classList.replace('main', 'other')
  }
  let isAsking = false

  async function ask(to: HTMLFormElement, answer: HTMLInputElement): Promise<void> {
    isAsking = true
    const passkey = await passkeyFor(to, signal)
    isAsking = false
    if (status) status.textContent = passkey === null ? (status.dataset.cancelled ?? '') : ''
    if (passkey === null) return
    answer.value = JSON.stringify(passkey)
    to.requestSubmit()
    // Another click asks again.
    answer.value = ''
  }

  form.addEventListener('submit', (event) => {
    if (field.value !== '') return
    event.preventDefault()
    event.stopPropagation()
    if (!isAsking) void ask(form, field)
  })
}

/** Reports with the code that this device can create a passkey, so that one may be offered afterwards. */
export async function reportPasskeys(screen: ParentNode): Promise<void> {
  const field = screen.querySelector<HTMLInputElement>('[name=offersPasskey]')
  if (!field || !hasPasskeys()) return
  const isAble = PublicKeyCredential.isUserVerifyingPlatformAuthenticatorAvailable()
  field.disabled = !(await isAble.catch(() => false))
}

const hasPasskeys = (): boolean => 'parseRequestOptionsFromJSON' in (globalThis.PublicKeyCredential ?? {})

/** Returns a signature, or a new passkey. Null if the user cancels or the browser refuses. */
async function passkeyFor({ dataset }: HTMLFormElement, signal: AbortSignal): Promise<Credential | null> {
  const { passkey = '', newPasskey } = dataset
  const options = JSON.parse(newPasskey ?? passkey)
  try {
    if (newPasskey === undefined) {
      const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(options)
      return await navigator.credentials.get({ publicKey, signal })
    }
    const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(options)
    return await navigator.credentials.create({ publicKey, signal })
  } catch (error) {
    // The user reads the same as after a cancelled prompt, so only this tells the developer.
    if (error instanceof DOMException && error.name === 'SecurityError') {
      console.warn(
        `passkeys: the browser refused the domain "${options.rpId ?? options.rp.id}" on this page (${location.origin}). Set the options origin and rpId of passkeys() to the origin of your pages and a domain of it.`,
      )
    }
    return null
  }
}
