import { inspect } from 'node:util'
import { expect, it } from 'vitest'
import type { CodeProvider } from '../../src/index.js'
import { codeProvidersOfEachKind, ownCodesSecret } from './code-providers.js'
import { recordingStore, startLoggedIn } from './kit.js'

it.each(codeProvidersOfEachKind)(
  'over %s, no code, handle, secret or key is in the store, the events or an answer',
  async (_name, provider) => {
    const handles: string[] = []
    const noting =
      provider &&
      ((stub: Parameters<typeof provider>[0]): CodeProvider => {
        const real = provider(stub)
        return {
          checkCode: (check) => real.checkCode(check),
          async sendCode(send) {
            const sent = await real.sendCode(send)
            if ('handle' in sent) handles.push(sent.handle ?? '')
            return sent
          },
        }
      })
    const { store, told: written } = recordingStore()
    const { host, ana } = await startLoggedIn({ provider: noting, options: { store }, listens: true })
    const answers = [await ana.start()]
    const codes = [host.stub.rightCode]
    host.clock.now += 60_000
    answers.push(await ana.post('/two-factor/resend', {}))
    codes.push(host.stub.rightCode)
    const wrong = '135790'
    answers.push(await ana.verify(wrong))
    answers.push(await ana.verify(host.stub.rightCode))
    expect(answers.map(({ status }) => status)).toEqual([201, 200, 422, 200])

    const told = inspect([written(), host.events, host.errors, answers], {
      depth: 10,
      maxStringLength: null,
      maxArrayLength: null,
    })
    for (const canary of [...codes, wrong, ...handles, ownCodesSecret, 'k-canary', '573001234567']) {
      expect(told).not.toContain(canary)
    }
    if (noting !== undefined) expect(handles).toHaveLength(2)
  },
)
