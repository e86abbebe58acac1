/** Offers to save content that a page shows once. The buttons appear if a script can do their work. */
export function offerToKeep(page: Document): void {
  if (page.querySelector('[data-shown-once]') !== null) warnOfLoss(page)
  const status = page.querySelector('[role=status]')

  for (const button of page.querySelectorAll<HTMLButtonElement>('[data-copies]')) {
    const { copies = '', copied = '', failed = '' } = button.dataset
    const items = page.getElementById(copies)?.querySelectorAll('li') ?? []
    const text = [...items].map(({ textContent }) => textContent).join('\n')
    // Absent if the page was loaded without TLS.
    const { clipboard } = navigator
    button.hidden = clipboard === undefined
    const say = (outcome: string) => {
      button.textContent = outcome
      if (status !== null) status.textContent = outcome
    }
    button.addEventListener('click', () => {
      // A browser or its user may not allow it.
      clipboard.writeText(text).then(
        () => say(copied),
        () => say(failed),
      )
    })
  }
  for (const button of page.querySelectorAll<HTMLButtonElement>('[data-prints]')) {
    button.hidden = false
    button.addEventListener('click', () => print())
  }
}

/**
 * Warns before a reload or Back loses content that is shown once. The link of a user who has saved the content does not
 * warn.
 */
function warnOfLoss(page: Document): void {
  const warn = (event: BeforeUnloadEvent) => event.preventDefault()
  addEventListener('beforeunload', warn)
  page
    .querySelector('[data-leaves]')
    ?.addEventListener('click', () => removeEventListener('beforeunload', warn))
}
