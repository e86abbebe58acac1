import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect } from 'vitest'
import { freePort } from '../../free-port.js'
import { cornerOfFrame, type Point } from './in-page.js'
import { clickActions, keyActions } from './key-codes.js'
import { makeFolder, readFrom, startGroup } from './process.js'
import type { Look, Size, Tab } from './tab.js'

export const webKitPath = ['/usr/bin/WebKitWebDriver'].find(
  (path) => existsSync(path) && existsSync('/usr/bin/Xvfb'),
)

// The bar of addresses is at least 447 px wide, and so would be each page. Without room for its buttons it fits 320 px.
const narrowBar = '* { min-width: 0; padding: 0; margin: 0; border: 0; font-size: 1px; }\n'

/** WebKitGTK, over WebDriver, on a display that nobody sees: it has no headless mode. */
export async function openWebKit(look: Look = 'light'): Promise<Tab> {
  if (webKitPath === undefined) throw new Error('there is no WebKitWebDriver with Xvfb in /usr/bin')
  const config = makeFolder('webkit')
  const css = join(config.path, 'gtk-3.0/gtk.css')
  mkdirSync(dirname(css))
  writeFileSync(css, narrowBar)
  const screen = startGroup('Xvfb', ['-displayfd', '3', '-screen', '0', '1600x1200x24', '-nolisten', 'tcp'], {
    stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
  })
  const display = await readFrom(screen.child.stdio[3] as NodeJS.ReadableStream, /^(\d+)\n/)
  const port = await freePort()
  const env = {
    ...process.env,
    DISPLAY: `:${display}`,
    XDG_CONFIG_HOME: config.path,
    LANG: 'en_US.UTF-8',
    // Where no graphics card does it, to put a page together from layers takes a third of all that the browser does.
    WEBKIT_DISABLE_COMPOSITING_MODE: '1',
  }
  const driver = startGroup(webKitPath, [`--port=${port}`], { env, stdio: 'ignore' })
  const root = `http://127.0.0.1:${port}`
  await listens(`${root}/status`)
  const browserOptions = look === 'dark' ? { args: ['--automation', '--dark-mode'] } : {}
  const { sessionId } = await command<{ sessionId: string }>(root, 'POST', '/session', {
    capabilities: {
      alwaysMatch: {
        acceptInsecureCerts: true,
        unhandledPromptBehavior: 'accept',
        'webkitgtk:browserOptions': browserOptions,
      },
    },
  })
  const ask = <Value = void>(method: string, path: string, body?: object) =>
    command<Value>(`${root}/session/${sessionId}`, method, path, body)
  const act = (type: string, actions: readonly object[]) =>
    ask('POST', '/actions', { actions: [{ type, id: type, actions }] })
  async function evaluate(expression: string): Promise<unknown> {
    const outcome = `(async () => ({ value: await (${expression}) }))().catch((error) => ({ error: String(error) }))`
    const script = `${outcome}.then((outcome) => arguments[0](JSON.stringify(outcome)))`
    const { value, error } = JSON.parse(await ask<string>('POST', '/execute/async', { script, args: [] }))
    if (error !== undefined) throw new Error(error)
    return value
  }
  const clickAt = (x: number, y: number) => act('pointer', clickActions(x, y))
  const press = (keys: readonly string[]) => act('key', keyActions(keys))
  return {
    engine: 'WebKit',
    open: (url) => ask('POST', '/url', { url }),
    back: () => ask('POST', '/back', {}),
    reload: () => ask('POST', '/refresh', {}),
    evaluate,
    clickAt,
    press,
    async resize({ width, height }: Size) {
      // The window has a bar above the page.
      const bars = (await evaluate('[outerWidth - innerWidth, outerHeight - innerHeight]')) as readonly [
        number,
        number,
      ]
      await ask('POST', '/window/rect', { width: width + bars[0], height: height + bars[1] })
      // The page gets its size a moment after the response.
      await expect.poll(() => evaluate('[innerWidth, innerHeight]')).toEqual([width, height])
    },
    picture: () => ask('GET', '/screenshot'),
    frame: async () => ({
      async evaluate(expression) {
        await ask('POST', '/frame', { id: 0 })
        try {
          return await evaluate(expression)
        } finally {
          await ask('POST', '/frame', { id: null })
        }
      },
      async clickAt(x, y) {
        const corner = (await evaluate(`(${cornerOfFrame})()`)) as Point
        await clickAt(corner.x + x, corner.y + y)
      },
      press,
    }),
    forget: () => ask('DELETE', '/cookie'),
    async close() {
      await ask('DELETE', '')
      await driver.end()
      await screen.end()
      config.remove()
    },
  }
}

async function listens(url: string): Promise<void> {
  const endsAt = Date.now() + 60_000
  for (;;) {
    try {
      await fetch(url)
      return
    } catch (error) {
      if (Date.now() > endsAt) throw error
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
  }
}

async function command<Value>(root: string, method: string, path: string, body?: object): Promise<Value> {
  const response = await fetch(root + path, { method, ...(body && { body: JSON.stringify(body) }) })
  const { value } = (await response.json()) as { value: { error?: string; message?: string } }
  if (!response.ok) throw new Error(`${method} ${path}: ${value.error}: ${value.message}`)
  return value as Value
}
