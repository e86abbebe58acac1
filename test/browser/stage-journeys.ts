import { writeFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { codeFor, openBank } from './bank.js'
import type { Visitor } from './engines/visitor.js'

/** Takes the picture of the README: `npm run docs:picture`. WebP has less than half the bytes of PNG. */
async function takePicture(ana: Visitor): Promise<void> {
  await ana.tap('The bank sent a code.')
  await ana.evaluate(
    'Promise.all(document.getAnimations().map(({ finished }) => finished)).then(() => scrollTo(0, 0))',
  )
  const picture = await ana.evaluate(`(async () => {
    const png = new Image()
    png.src = 'data:image/png;base64,${await ana.picture()}'
    await png.decode()
    const canvas = Object.assign(document.createElement('canvas'), { width: png.width, height: png.height })
    canvas.getContext('2d').drawImage(png, 0, 0)
    return canvas.toDataURL('image/webp', 0.6).split(',')[1]
  })()`)
  writeFileSync('docs/picture.webp', Buffer.from(String(picture), 'base64'))
}

/** Whether the middle of the frame's left border has its colour in a picture of the window. */
async function isPainted(ana: Visitor): Promise<unknown> {
  await ana.evaluate('scrollTo(0, 0)')
  return ana.evaluate(`(async () => {
    const png = new Image()
    png.src = 'data:image/png;base64,${await ana.picture()}'
    await png.decode()
    const context = Object.assign(document.createElement('canvas'), { width: png.width, height: png.height }).getContext('2d')
    context.drawImage(png, 0, 0)
    const frame = document.querySelector('iframe')
    const { left, top, height } = frame.getBoundingClientRect()
    const colour = context.getImageData(left + 4, top + height / 2, 1, 1).data.slice(0, 3)
    return getComputedStyle(frame).borderLeftColor === 'rgb(' + colour.join(', ') + ')'
  })()`)
}

/** The journeys of a person who watches the demo's stage: the bank in a frame, and the phone beside it. */
export function itShowsTheStage(visitor: () => Visitor): void {
  it.each([1_280, 1_024, 320])('signs in by a tap on the code, on a stage of %i px', async (width) => {
    const bank = await openBank()
    const ana = visitor()
    await ana.resize({ width, height: 720 })
    await ana.visit(bank.origin)
    await ana.tap('Sign in')
    const tap = 'Tap the code that arrives on the phone'
    await ana.see(`${tap}.`)
    expect(await ana.overflow()).toBe(0)
    await expect.poll(() => isPainted(ana)).toBe(true)
    await ana.tap(`Fill in ${await codeFor(bank)}`)
    await ana.see('Movements')
    await ana.see('Now try one of these')

    // The transfer has to be read first, so nothing is sent by itself.
    bank.sandbox.clock.advance(61_000)
    await ana.evaluate("document.querySelector('.screen').scrollTop = 40")
    await ana.tap('Transfer money')
    await ana.see('Amount in dollars')
    await ana.tap('Transfer')
    await ana.see(`${tap}, then press Continue.`)
    await ana.see(`Fill in ${await codeFor(bank)}`)
    expect(await ana.evaluate("document.querySelector('.screen').scrollTop")).toBe(0)
    await ana.tap(`Fill in ${await codeFor(bank)}`)
    if (width === 1_280 && process.env.WRITE_PICTURE === '1') await takePicture(ana)
    await ana.tap('Continue')
    await ana.see('Check and send')

    const behind = "document.querySelector('#activity').innerText"
    if (width < 1_024) await ana.tap('Behind each click')
    // The request of the last page moves the others down.
    await expect
      .poll(() => ana.evaluate(behind))
      .toMatch(/^The bank showed the next step\.\nThe code was right\./)
    expect(await ana.evaluate(behind)).not.toContain('POST /two-factor/verify')
    await ana.tap('The code was right.')
    expect(await ana.evaluate(behind)).toContain('POST /two-factor/verify')
    expect(await ana.overflow()).toBe(0)
  })
}
