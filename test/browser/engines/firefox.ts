import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { WebSocket } from 'undici'
import { clickActions, keyActions } from './key-codes.js'
import { makeFolder, readFrom, startGroup } from './process.js'
import type { Look, Tab } from './tab.js'

export const firefoxPath = ['/usr/bin/firefox-esr', '/usr/bin/firefox'].find(existsSync)

/** Nothing but the pages of the test loads, and a form that is sent again by a reload asks nobody. */
const preferences = (look: Look) => ({
  'app.update.auto': false,
  'browser.safebrowsing.malware.enabled': false,
  'browser.shell.checkDefaultBrowser': false,
  'browser.startup.homepage_override.mstone': 'ignore',
  'browser.startup.page': 0,
  'datareporting.policy.dataSubmissionEnabled': false,
  'dom.confirm_repost.testing.always_accept': true,
  // One process for all sites and no other ahead of need: to start one for each test is up to an eighth of the CPU.
  'dom.ipc.processCount': 1,
  'dom.ipc.processPrelaunch.enabled': false,
  'extensions.update.enabled': false,
  'fission.webContentIsolationStrategy': 0,
  'intl.accept_languages': 'en-US, en',
  'layout.css.prefers-color-scheme.content-override': look === 'dark' ? 0 : 1,
  'network.captive-portal-service.enabled': false,
  'network.connectivity-service.enabled': false,
  'remote.active-protocols': 1,
  'toolkit.telemetry.enabled': false,
})

/** Firefox, over WebDriver BiDi: Playwright drives only a Firefox of its own. */
export async function openFirefox(look: Look = 'light'): Promise<Tab> {
  if (firefoxPath === undefined) throw new Error('there is no Firefox in /usr/bin')
  const profile = makeFolder('firefox')
  const lines = Object.entries(preferences(look)).map(
    ([name, value]) => `user_pref(${JSON.stringify(name)}, ${JSON.stringify(value)});`,
  )
  writeFileSync(join(profile.path, 'user.js'), lines.join('\n'))
  const options = ['--headless', '--no-remote', '--profile', profile.path, '--remote-debugging-port=0']
  const browser = startGroup(firefoxPath, options)
  const address = await readFrom(browser.child.stderr, /WebDriver BiDi listening on (ws:\S+)/)
  const { send, end } = await connect(`${address}/session`)
  await send('session.new', {
    capabilities: {
      alwaysMatch: { acceptInsecureCerts: true, unhandledPromptBehavior: { default: 'accept' } },
    },
  })
  /** In the first tab, and after a Tab key beyond the page, the window has the focus: then keys press no button. */
  async function openTab(): Promise<string> {
    const tab = await send<{ context: string }>('browsingContext.create', { type: 'tab' })
    await send('browsingContext.activate', tab)
    return tab.context
  }
  let context = await openTab()
  /** The verbs in the context that is current when they are called. */
  function verbsIn(contextOf: () => string) {
    const act = (type: string, actions: readonly object[]) =>
      send('input.performActions', { context: contextOf(), actions: [{ type, id: type, actions }] })
    return {
      async evaluate(expression: string): Promise<unknown> {
        const target = { context: contextOf() }
        // As JSON: the protocol would describe each value by its type.
        const asked = `(async () => JSON.stringify(await (${expression})))()`
        const said = await send<Evaluated>('script.evaluate', {
          expression: asked,
          target,
          awaitPromise: true,
        })
        if (said.exceptionDetails !== undefined) throw new Error(said.exceptionDetails.text)
        return said.result?.value === undefined ? undefined : JSON.parse(said.result.value)
      },
      clickAt: (x: number, y: number) => act('pointer', clickActions(x, y)),
      press: (keys: readonly string[]) => act('key', keyActions(keys)),
    }
  }
  const verbs = verbsIn(() => context)
  return {
    engine: 'Firefox',
    open: (url) => send('browsingContext.navigate', { context, url, wait: 'complete' }),
    back: () => send('browsingContext.traverseHistory', { context, delta: -1 }),
    reload: () => send('browsingContext.reload', { context, wait: 'complete' }),
    ...verbs,
    resize: (viewport) => send('browsingContext.setViewport', { context, viewport }),
    picture: async () =>
      (await send<{ data: string }>('browsingContext.captureScreenshot', { context })).data,
    async frame() {
      const tree = await send<Tree>('browsingContext.getTree', { root: context })
      const frame = tree.contexts[0]?.children[0]?.context
      if (frame === undefined) throw new Error('the page has no frame')
      return verbsIn(() => frame)
    },
    async forget() {
      await send('storage.deleteCookies', {})
      if (await verbs.evaluate('document.hasFocus()')) return
      const left = context
      context = await openTab()
      await send('browsingContext.close', { context: left })
    },
    async close() {
      end()
      await browser.end()
      profile.remove()
    },
  }
}

/** The result of `browsingContext.getTree`, as far as it is read. */
interface Tree {
  readonly contexts: readonly { readonly children: readonly { readonly context: string }[] }[]
}

/** The result of `script.evaluate`, as far as it is read. */
interface Evaluated {
  readonly result?: { readonly value?: string }
  readonly exceptionDetails?: { readonly text: string }
}

/** A message of Firefox: the response to a command, or an event, which has no id. */
interface Message {
  readonly id?: number
  readonly result?: unknown
  readonly error?: string
  readonly message?: string
}

interface Pending {
  resolve(result: unknown): void
  reject(error: Error): void
}

/** A connection for commands of WebDriver BiDi. */
async function connect(url: string) {
  const socket = new WebSocket(url)
  await new Promise((resolve, reject) => {
    socket.addEventListener('open', resolve)
    socket.addEventListener('error', () => reject(new Error(`Firefox does not listen at ${url}`)))
  })
  const pending = new Map<number | undefined, Pending>()
  let lastId = 0
  socket.addEventListener('message', ({ data }) => {
    const { id, result, error, message } = JSON.parse(String(data)) as Message
    const waiting = pending.get(id)
    pending.delete(id)
    if (error !== undefined) waiting?.reject(new Error(`${error}: ${message}`))
    else waiting?.resolve(result)
  })
  socket.addEventListener('close', () => {
    for (const { reject } of pending.values()) reject(new Error('Firefox has closed the connection'))
  })
  return {
    async send<Result = void>(method: string, params: object = {}): Promise<Result> {
      lastId += 1
      const id = lastId
      socket.send(JSON.stringify({ id, method, params }))
      const result = await new Promise((resolve, reject) => pending.set(id, { resolve, reject }))
      return result as Result
    },
    end: () => socket.close(),
  }
}
