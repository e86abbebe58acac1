/**
 * Uses the code that the device offers: from a message for this site, in browsers with WebOTP, or filled in by the
 * keyboard. It is submitted automatically if the screen allows it, which excludes screens with details to read first.
 */
export function takeFromDevice(field: HTMLInputElement | null, signal: AbortSignal): void {
  if (field === null) return
  const { submits } = field.dataset
  let before = 0
  field.addEventListener('input', (event) => {
    const { length } = field.value.replace(/[\s-]/g, '')
    const isFilledIn = length > before + 1 && (event as InputEvent).inputType !== 'insertFromPaste'
    before = length
    if (isFilledIn && length === Number(submits)) field.form?.requestSubmit()
  })
  void codeOfMessage(signal).then((code) => {
    if (code === undefined) return
    field.value = code
    if (submits !== undefined) field.form?.requestSubmit()
  })
}

async function codeOfMessage(signal: AbortSignal): Promise<string | undefined> {
  if (!('OTPCredential' in globalThis)) return undefined
  const request = { otp: { transport: ['sms'] }, signal } as CredentialRequestOptions
  // Rejects if the user declines, or another screen is shown.
  const message = await navigator.credentials.get(request).catch(() => null)
  return message !== null && 'code' in message ? String(message.code) : undefined
}
