/** Milliseconds without a response after which the page shows progress. */
const unnoticedMs = 300

/** Shows on a button, after a moment, that its form was sent. Returns the function that ends this. */
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

/** Returns the button that sent a form, or the first one if no button did. */
export function submitterOf({ submitter, target }: SubmitEvent): HTMLElement | null {
  return submitter ?? (target as HTMLFormElement).querySelector('button')
}
