import { showBusy, submitterOf } from './busy.js'
import type { Answer, Mount } from './mount.js'
import { isRefusal, nextAfter } from './outcome.js'
import { openScreen } from './screen.js'

/** The first state of a dialog. */
export interface Beginning {
  readonly first: Answer
  /** A start without a response so far. The first screen shows its button, or the entry of a booked code. */
  readonly started?: Promise<Answer> | undefined
  /** Address of the page that requires the code. */
  readonly page: string
  readonly mount: Mount
}

/**
 * Shows one screen after the other in a dialog. It sends the forms and links of the screens without leaving the page.
 * Resolves with true after a correct code, with false if the user closed the dialog, and with the response of a start
 * that has no screen.
 */
export function converse(
  dialog: HTMLDialogElement,
  { first, started, page, mount }: Beginning,
  aborted: AbortSignal,
): Promise<boolean | Response> {
  let screen = openScreen(dialog, String(first.body.html), mount)
  let busy = false
  // Aborted at the end of the dialog. A later response has no dialog that could show it.
  const over = new AbortController()

  return new Promise<boolean | Response>((resolve, reject) => {
    function end(): void {
      over.abort()
      screen.close()
    }

    function settle(outcome: boolean | Response): void {
      end()
      resolve(outcome)
    }

    /** Shows a screen. Without a response, or without a screen in it, shows that the server cannot be reached. */
    function show(answer?: Answer): void {
      if (over.signal.aborted) return
      if (answer?.body.html === undefined) {
        screen.showUnreachable()
        return
      }
      screen.close()
      screen = openScreen(dialog, answer.body.html, mount)
    }

    /** Handles the response of a start whose code can already be entered. */
    function afterStart(answer: Answer): void {
      if (answer.body.verified) settle(true)
      else if (isRefusal(answer.response)) show(answer)
    }

    /** Sends one request at a time. The second click of a double click would use an attempt. */
    async function ask(
      send: () => Promise<Answer>,
      button: HTMLElement | null,
      noticedMs?: number,
    ): Promise<void> {
      if (busy || over.signal.aborted) return
      busy = true
      const endBusy = showBusy(button, noticedMs)
      const next = await send()
        .then((answer) => nextAfter(answer, page, mount))
        .catch(() => undefined)
      endBusy()
      busy = false
      // Shown when no request is in progress, because a code that the device fills in is sent immediately.
      if (next === 'proven') settle(true)
      else show(next)
    }

    dialog.addEventListener('submit', (event) => {
      const form = event.target as HTMLFormElement
      // These buttons close the dialog.
      if (form.method === 'dialog') return
      event.preventDefault()
      const fields = Object.fromEntries(new FormData(form, event.submitter))
      void ask(() => mount.post(String(form.getAttribute('action')), fields), submitterOf(event))
    })

    dialog.addEventListener('click', (event) => {
      const link = (event.target as Element).closest('a')
      const href = link?.getAttribute('href') ?? ''
      if (link === null || !screen.leadsHere(link)) return
      event.preventDefault()
      if (href.startsWith('#')) dialog.querySelector<HTMLElement>(href)?.focus()
      // The code was entered in another tab.
      else if (screen.isDone) settle(true)
      else void ask(() => mount.get(href), null)
    })

    dialog.addEventListener('close', () => settle(false))
    // After Back, the next user of the browser must not see the details.
    addEventListener('pagehide', () => settle(false), { signal: over.signal })
    const abort = () => {
      end()
      reject(aborted.reason)
    }
    aborted.addEventListener('abort', abort, { signal: over.signal })

    if (started !== undefined) {
      const button = dialog.querySelector<HTMLElement>('.main')
      const answered = started.then((answer) => {
        if (isRefusal(answer.response) && answer.body.html === undefined) settle(answer.response)
        return answer
      })
      if (!screen.takesCode) void ask(() => answered, button, 0)
      // The screen already shows that the code is on its way. Showing it again would lose the digits entered so far.
      else void answered.then(afterStart, () => show())
    }
  })
}
