/**
 * Shows the form for passkeys if the browser has them. The browser signs before the form is sent. A cancelled prompt leaves
 * the page as it is.
 */
export function offerPasskey(screen: ParentNode, signal: AbortSignal): void {
  const form = screen.querySelector<HTMLFormElement>('form[data-passkey]')
  const field = form?.querySelector<HTMLInputElement>('[name=passkey]')
  const status = form?.querySelector<HTMLElement>('[data-cancelled]')
  if (!form || !field || !('parseRequestOptionsFromJSON' in (globalThis.PublicKeyCredential ?? {}))) return
  form.hidden = false
  for (const note of screen.querySelectorAll<HTMLElement>('[data-without-passkey]')) note.hidden = true
  // One main button.
  for (const { classList } of screen.querySelectorAll('form[data-passkey] ~ form .main')) {
    classList.replace('main', 'other')
  }
  let isAsking = false

  async function sign(): Promise<void> {
    if (!form || !field) return
    isAsking = true
    const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(JSON.parse(form.dataset.passkey ?? ''))
    const passkey = await navigator.credentials.get({ publicKey, signal }).catch(() => null)
    isAsking = false
    if (status) status.textContent = passkey === null ? (status.dataset.cancelled ?? '') : ''
    if (passkey === null) return
    field.value = JSON.stringify(passkey)
    form.requestSubmit()
    // Another click signs again.
    field.value = ''
  }

  form.addEventListener('submit', (event) => {
    if (field.value !== '') return
    event.preventDefault()
    event.stopPropagation()
    if (!isAsking) void sign()
  })
}
