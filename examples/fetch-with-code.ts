// The script of the page of step-up.ts. A bundler finds the package. The page uses an import map instead.
import { fetchWithCode } from 'express-two-factor/browser'

const output = document.querySelector('output')
const say = (text: string) => {
  if (output !== null) output.value = text
}

document.querySelector('button')?.addEventListener('click', async () => {
  const transfer = { amount: 100, payee: 'Luis' }
  const headers = { 'content-type': 'application/json' }
  try {
    // If the guard requires a code, a dialog asks for it, and the transfer is sent again.
    const init = { method: 'POST', headers, body: JSON.stringify(transfer) }
    const response = await fetchWithCode('/transfers', init)
    say(await response.text())
  } catch (error) {
    const closed = error instanceof DOMException && error.name === 'AbortError'
    say(closed ? 'Nothing was transferred.' : 'There is no connection.')
  }
})
