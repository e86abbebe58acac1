import { expect, it } from 'vitest'

import { startHost } from './kit.js'

it.each([
  ['refuses the account', { status: 403, json: {} }],
  ['sends nothing for now', { status: 429, json: {} }],
])(
  'a second attempt within the minute shows the text of the first, where the provider %s',
  async (_name, answer) => {
    const host = await startHost()
    host.stub.answerSend = () => answer
    const ana = await host.login()
    for (const attempt of [1, 2]) {
      const { text } = await ana.submit('/two-factor/start')
      expect([attempt, text.includes('Sorry, we can&#39;t send codes right now')]).toEqual([attempt, true])
      expect(text).not.toContain('to this number')
    }
    expect(host.stub.sends).toHaveLength(1)
  },
)
