/** Fills in the code of a message with a line for this site, where the browser reads such messages (WebOTP). */
export async function fillFromMessage(field: HTMLInputElement | null, signal: AbortSignal): Promise<void> {
  if (field === null || !('OTPCredential' in globalThis)) return
  const request = { otp: { transport: ['sms'] }, signal } as CredentialRequestOptions
  // Rejects when the person declines, and when another screen is shown.
  const message = await navigator.credentials.get(request).catch(() => null)
  if (message === null || !('code' in message)) return
  field.value = String(message.code)
  field.form?.requestSubmit()
}
