import { expect, it } from 'vitest'
import { startHost } from './kit.js'

it('the JSON response to the last wrong code names the wait instead of 0 tries', async () => {
  const host = await startHost()
  const ana = await host.login()
  await ana.post('/two-factor/start')
  const details: string[] = []
  for (let tries = 0; tries < 5; tries += 1) {
    const { status, json } = await ana.post('/two-factor/verify', { code: `00000${tries}` })
    expect(status).toBe(422)
    details.push(json.detail)
  }
  expect(details.at(-2)).toBe('That code is not right. You have 1 try left.')
  expect(details.at(-1)).toMatch(/^That code is not right\. You can try again (in|at) [^.]+\.$/)
})
