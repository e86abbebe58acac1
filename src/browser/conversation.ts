import type { Answer, Mount } from './mount.js'
import { openScreen } from './screen.js'

/**
 * Shows one screen after the other in a dialog. The forms and links of a screen are those of the page; here they
 * are sent without leaving it. Resolves with whether a code was right, false when the person closed the dialog.
 */
export function converse(
  dialog: HTMLDialogElement,
  { first, page, mount }: { readonly first: Answer; readonly page: string; readonly mount: Mount },
  aborted: AbortSignal,
): Promise<boolean> {
  let screen = openScreen(dialog, String(first.body.html), mount)
  let busy = false

  return new Promise<boolean>((resolve, reject) => {
    function show({ body }: Answer): void {
      if (body.html === undefined) {
        screen.showUnreachable()
        return
      }
      screen.close()
      screen = openScreen(dialog, body.html, mount)
    }

    async function take(answer: Answer): Promise<void> {
      const { response, body } = answer
      if (body.verified) resolve(true)
      // A code was sent: the page says what comes next.
      else if (response.ok && body.html === undefined) show(await mount.get(page))
      else show(answer)
    }

    /** One at a time: the second click of a double click would spend an attempt. */
    async function ask(send: () => Promise<Answer>): Promise<void> {
      if (busy) return
      busy = true
      await send()
        .then(take)
        .catch(() => screen.showUnreachable())
      busy = false
    }

    dialog.addEventListener('submit', (event) => {
      const form = event.target as HTMLFormElement
      // The button that closes.
      if (form.method === 'dialog') return
      event.preventDefault()
      const fields = Object.fromEntries(new FormData(form, event.submitter))
      void ask(() => mount.post(String(form.getAttribute('action')), fields))
    })

    dialog.addEventListener('click', (event) => {
      const link = (event.target as Element).closest('a')
      const href = link?.getAttribute('href') ?? ''
      if (link === null || !screen.leadsHere(link)) return
      event.preventDefault()
      if (href.startsWith('#')) dialog.querySelector<HTMLElement>(href)?.focus()
      // The proof was given in another tab.
      else if (screen.isDone) resolve(true)
      else void ask(() => mount.get(href))
    })

    dialog.addEventListener('close', () => resolve(false))
    aborted.addEventListener('abort', () => reject(aborted.reason))
  }).finally(() => screen.close())
}
