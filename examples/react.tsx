// A transfer whose code is asked for in a look of one's own. Without `onChallenge` a dialog does that.
import { type CodeRequest, fetchWithCode } from 'express-two-factor/browser'
import { useState } from 'react'
import { createRoot } from 'react-dom/client'

function Transfer() {
  const [request, setRequest] = useState<CodeRequest>()
  const [message, setMessage] = useState('')

  async function send() {
    const body = new URLSearchParams({ amount: '100', payee: 'Luis' })
    const init = { method: 'POST', body }
    const said = await fetchWithCode('/transfers', init, { onChallenge: setRequest }).then(
      (response) => response.text(),
      (error: Error) => error.message,
    )
    setRequest(undefined)
    setMessage(said)
  }

  async function confirm(form: FormData) {
    const problem = await request?.verify(String(form.get('code')))
    setMessage(problem?.detail ?? '')
  }

  return (
    <main>
      <button type="button" onClick={send}>
        Transfer 100 to Luis
      </button>
      {request && (
        <form action={confirm}>
          <label htmlFor="code">The code that we sent to {request.challenge.destination}</label>
          <input id="code" name="code" inputMode="numeric" autoComplete="one-time-code" />
          <button type="submit">Confirm</button>
        </form>
      )}
      <output>{message}</output>
    </main>
  )
}

createRoot(document.body).render(<Transfer />)
