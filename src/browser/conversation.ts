import { showBusy, submitterOf } from './busy.js'
import type { Answer, Mount } from './mount.js'
import { isRefusal, nextAfter } from './outcome.js'
import { openScreen } from './screen.js'

/** How a dialog begins. */
export interface Beginning {
  readonly first: Answer
  /** A start that has not been answered yet: the first screen is that of its button, or of a code on its way. */
  readonly started?: Promise<Answer> | undefined
  /** Where the code is asked for. */
  readonly page: string
  readonly mount: Mount
}

/**
 * Shows one screen after the other in a dialog. The forms and links of a screen are those of the page; here they
 * are sent without leaving it. Resolves with whether a code was right, false when the person closed the dialog; with
 * the response of a start that has nothing to show.
 */
export function converse(
  dialog: HTMLDialogElement,
  { first, started, page, mount }: Beginning,
  aborted: AbortSignal,
): Promise<boolean | Response> {
  let screen = openScreen(dialog, String(first.body.html), mount)
  let busy = false
  // Aborted once it is known how this ends. What is answered later finds no dialog to be shown in.
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

    /** Without an answer, or with one that has no screen: that nothing can be reached. */
    function show(answer?: Answer): void {
      if (over.signal.aborted) return
      if (answer?.body.html === undefined) {
        screen.showUnreachable()
        return
      }
      screen.close()
      screen = openScreen(dialog, answer.body.html, mount)
    }

    /** What a start comes to, whose code can be typed already. */
    function afterStart(answer: Answer): void {
      if (answer.body.verified) settle(true)
      else if (isRefusal(answer.response)) show(answer)
    }

    /** One at a time: the second click of a double click would spend an attempt. */
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
      // Shown once nothing is under way: a code that the device fills in at once is sent at once.
      if (next === 'proven') settle(true)
      else show(next)
    }

    dialog.addEventListener('submit', (event) => {
      const form = event.target as HTMLFormElement
      // The buttons that close.
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
      // The proof was given in another tab.
      else if (screen.isDone) settle(true)
      else void ask(() => mount.get(href), null)
    })

    dialog.addEventListener('close', () => settle(false))
    // Back must not show again, to whoever comes next, what was to be confirmed.
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
      // It says already that the code is on its way. Its screen anew would lose what is typed meanwhile.
      else void answered.then(afterStart, () => show())
    }
  })
}
