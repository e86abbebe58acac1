/** How long a response may take before the page says that it works on it, in milliseconds. */
const unnoticedMs = 300

/** Says on a button, after a moment, that its form is on the way. Returns what ends that. */
export function showBusy(button: HTMLElement | null, afterMs = unnoticedMs): () => void {
  if (button === null) return () => undefined
  const label = button.textContent
  const timer = setTimeout(() => {
    button.ariaBusy = 'true'
    button.textContent = button.dataset.busy ?? label
  }, afterMs)
  return () => {
    clearTimeout(timer)
    button.ariaBusy = null
    button.textContent = label
  }
}

/** The button of a form that was sent by another way. */
export function submitterOf({ submitter, target }: SubmitEvent): HTMLElement | null {
  return submitter ?? (target as HTMLFormElement).querySelector('button')
}
