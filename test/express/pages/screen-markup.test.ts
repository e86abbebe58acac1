import { expect, it } from 'vitest'
import { isOfScreens } from '../../../src/browser/build-screen.js'
import { en } from '../../../src/express/pages/messages/en.js'
import { pageFor } from '../../../src/express/pages/page-for.js'
import { renderForDialog } from '../../../src/express/pages/pages.js'
import { states } from './views.js'

it('the dialog takes every element and attribute that screens are made of', () => {
  // A new app is set up on a page of its own.
  const screens = Object.values(states).filter(({ pairing }) => pairing === undefined)
  const markup = screens.map((view) => renderForDialog(pageFor(view), en))
  const strange = new Set<string>()
  for (const [, element = '', rest = ''] of markup.join('').matchAll(/<(\w+)((?: [\w-]+(?:="[^"]*")?)*)>/g)) {
    if (!isOfScreens(element)) strange.add(element)
    for (const [, name = ''] of rest.matchAll(/ ([\w-]+)(?:="[^"]*")?/g)) {
      if (!isOfScreens(element, name)) strange.add(`${element} ${name}`)
    }
  }
  expect([...strange]).toEqual([])
  expect(markup.join('')).not.toContain('<p></p>')
})
