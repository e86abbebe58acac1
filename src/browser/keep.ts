/** Ways to keep what a page shows once: its buttons appear where a script can do what they say. */
export function offerToKeep(page: Document): void {
  if (page.querySelector('[data-shown-once]') !== null) warnOfLoss(page)
  const status = page.querySelector('[role=status]')

  for (const button of page.querySelectorAll<HTMLButtonElement>('[data-copies]')) {
    const { copies = '', copied = '', failed = '' } = button.dataset
    const items = page.getElementById(copies)?.querySelectorAll('li') ?? []
    const text = [...items].map(({ textContent }) => textContent).join('\n')
    // Absent where the page came without TLS.
    const { clipboard } = navigator
    button.hidden = clipboard === undefined
    const say = (outcome: string) => {
      button.textContent = outcome
      if (status !== null) status.textContent = outcome
    }
    button.addEventListener('click', () => {
      // A browser or its owner may not allow it.
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

/** Asks before a reload or Back loses what is shown once; the link of a person who has saved it leads on without. */
function warnOfLoss(page: Document): void {
  const warn = (event: BeforeUnloadEvent) => event.preventDefault()
  addEventListener('beforeunload', warn)
  page
    .querySelector('[data-leaves]')
    ?.addEventListener('click', () => removeEventListener('beforeunload', warn))
}
