import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import {
  type CodeMessage,
  englishTexts,
  memoryStore,
  ownCodes,
  type TwoFactorOptions,
} from '../../src/index.js'
import { type ProviderStub, startProviderStub } from '../provider-stub.js'
import { type Host, startHost, stubCodes } from './kit.js'

const calibrated = (stub: ProviderStub) => stubCodes(stub, { calibratedAt: '2026-03-01' })
const settings = { now: () => Date.now() }

async function findings(options: Partial<TwoFactorOptions>, use: (host: Host) => unknown = () => undefined) {
  const host = await startHost({ provider: calibrated, options: { ...settings, ...options } })
  await use(host)
  return (await host.tf.selfTest()).findings
}
const codes = async (...args: Parameters<typeof findings>) =>
  (await findings(...args)).map(({ code }) => code)
const production = () => void vi.stubEnv('NODE_ENV', 'production')
const inStore = { store: memoryStore() }

describe('the self-test', () => {
  afterEach(() => void vi.unstubAllEnvs())

  it('names a secret of one repeated character, even if it only verifies', async () => {
    const secret = ['a secret of thirty-two bytes or more', 'x'.repeat(32)]
    expect(await codes({ secret })).toEqual(['secret_weak'])
  })

  it('has a store look at the keys of its own namespace', async () => {
    const inspected: unknown[] = []
    const inspect = async (namespace?: string) => {
      inspected.push(namespace)
      return []
    }
    expect(await codes({ store: { ...memoryStore(), inspect }, namespace: 'shop' })).toEqual([])
    expect(inspected).toEqual(['shop'])
  })

  it('names statuses that were never calibrated, in production only', async () => {
    const { tf } = await startHost({ options: { ...settings, ...inStore } })
    expect((await tf.selfTest()).findings).toEqual([])
    production()
    expect((await tf.selfTest()).findings).toMatchObject([{ code: 'statuses_guessed' }])
    expect(await codes(inStore)).toEqual([])
  })

  it('names texts that cost more than one message, in any language of the pages', async () => {
    const sendSms = async () => undefined
    const secret = 'a secret of thirty-two bytes or more'
    const text = ({ code, locale }: CodeMessage) => `${code} ${'ж'.repeat(locale === 'ru' ? 70 : 9)}`
    const provider = () => ownCodes({ client: { sendSms }, secret, text })
    const pages = { messages: { ru: { ...englishTexts, lang: 'ru' } } }
    const host = await startHost({ provider, options: { ...settings, pages, appName: 'Acme' } })
    expect((await host.tf.selfTest()).findings).toMatchObject([
      { code: 'text_in_parts', message: expect.stringContaining('The text of Acme in "ru" is billed as 2') },
    ])
  })

  it('names the findings of requests about cookie and proxies, in place of the warning about the provider', async () => {
    const use = async ({ login, stub }: Host) => {
      stub.answerSend = () => 'reset'
      const ana = await login()
      await ana.start({}, { 'x-forwarded-for': '203.0.113.9' })
    }
    expect(await codes({}, use)).toEqual(['trust_proxy_missing'])
    production()
    const found = await codes(inStore, async (host) => {
      host.app.set('trust proxy', true)
      await host.challenged()
    })
    expect(found).toEqual(['trust_proxy_all', 'cookie_not_secure'])
  })

  it.each(['yesterday', '2026-13-01', 20260301])(
    'refuses %j as the day of a calibration',
    async (calibratedAt) => {
      const stub = await startProviderStub()
      onTestFinished(() => stub.close())
      expect(() => stubCodes(stub, { calibratedAt: calibratedAt as string })).toThrow(
        "providerCodes: calibratedAt must be a date such as '2026-03-01'",
      )
    },
  )
})
