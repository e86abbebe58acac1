// The account settings of a single-page app: `accountPages` as JSON. Each change requests its code in the dialog.
import { fetchWithCode } from 'express-two-factor/browser'
import { useEffect, useState } from 'react'
import { createRoot } from 'react-dom/client'

type Listed = { readonly id: string; readonly masked: string }
type Settings = { readonly numbers: readonly Listed[]; readonly recoveryCodes?: number }

const mount = '/account/security'
const post = { method: 'POST', headers: { 'content-type': 'application/json' } }

const load = async (): Promise<Settings> => (await fetch(mount)).json()

function Account() {
  const [{ numbers, recoveryCodes }, show] = useState<Settings>({ numbers: [] })
  const [codes, keep] = useState<readonly string[]>([])
  const [message, say] = useState('')
  useEffect(() => void load().then(show), [])

  async function change(way: string, fields: object = {}) {
    const init = { ...post, body: JSON.stringify(fields) }
    try {
      const answer = await (await fetchWithCode(mount + way, init)).json()
      say(answer.detail ?? 'Done.')
      keep(answer.codes ?? [])
      show(await load())
    } catch {
      say('Nothing was changed.') // the dialog was closed, or there is no connection
    }
  }
  return (
    <main>
      <ul>
        {numbers.map(({ id, masked }, index) => (
          <li key={id}>
            {masked}
            {index > 0 && (
              <button type="button" onClick={() => change('/numbers/first', { number: id })}>
                Make it the main number
              </button>
            )}
            <button type="button" onClick={() => change('/numbers/remove', { number: id })}>
              Remove {masked}
            </button>
          </li>
        ))}
      </ul>
      <p>Recovery codes left: {recoveryCodes}</p>
      <button type="button" onClick={() => change('/recovery-codes')}>
        Make recovery codes
      </button>
      <pre>{codes.join('\n')}</pre>
      <output>{message}</output>
    </main>
  )
}

createRoot(document.body).render(<Account />)
