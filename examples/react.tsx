// A transfer with your own UI for the code. Without `onChallenge`, a dialog appears.
import { type CodeRequest, fetchWithCode } from 'express-two-factor/browser'
import { useState } from 'react'
import { createRoot } from 'react-dom/client'

function Transfer() {
  const [asked, ask] = useState<CodeRequest>()
  const [message, say] = useState('')
  async function transfer() {
    const init = { method: 'POST', body: new URLSearchParams({ amount: '100', payee: 'Luis' }) }
    say(await fetchWithCode('/transfers', init, { onChallenge: ask }).then((sent) => sent.text(), String))
    ask(undefined)
  }
  async function confirm(form: FormData) {
    const verified = asked?.verify(String(form.get('code')))
    say((await verified?.then((problem) => problem?.detail, String)) ?? '')
  }
  return (
    <form action={asked ? confirm : transfer}>
      {asked && <label htmlFor="code">The code that we sent to {asked.challenge.destination}</label>}
      {asked && <input id="code" name="code" autoComplete="one-time-code" />}
      <button type="submit">{asked ? 'Confirm' : 'Transfer 100 to Luis'}</button>
      <output>{message}</output>
    </form>
  )
}

createRoot(document.body).render(<Transfer />)
