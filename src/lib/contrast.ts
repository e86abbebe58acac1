/** The ground that text in the accent colour stands on, and the text that stands on a button in that colour. */
export interface Surroundings {
  readonly paper: string
  readonly onAccent: string
}

export const light: Surroundings = { paper: '#ffffff', onAccent: '#ffffff' }
export const dark: Surroundings = { paper: '#1a1d21', onAccent: '#0c1a33' }

/** WCAG 2.2, 1.4.3: text needs this contrast to be readable. */
const minContrast = 4.5

/** `#rgb` or `#rrggbb` as three numbers from 0 to 255; undefined for anything else. */
export function parseColour(colour: string): readonly number[] | undefined {
  const short = /^#([\da-f])([\da-f])([\da-f])$/i.exec(colour)
  const long = /^#([\da-f]{2})([\da-f]{2})([\da-f]{2})$/i.exec(colour)
  if (short !== null) return short.slice(1).map((digit) => Number.parseInt(digit + digit, 16))
  return long?.slice(1).map((pair) => Number.parseInt(pair, 16))
}

/** Contrast of two colours, 1 to 21 (WCAG 2.2, relative luminance). */
export function contrast(one: string, other: string): number {
  const [light = 0, dark = 0] = [luminance(one), luminance(other)].sort((a, b) => b - a)
  return (light + 0.05) / (dark + 0.05)
}

/** Whether links and buttons in this colour can be read. */
export function isReadable(accent: string, { paper, onAccent }: Surroundings): boolean {
  return contrast(accent, paper) >= minContrast && contrast(accent, onAccent) >= minContrast
}

/** The nearest readable colour of the same hue: darker on light paper, lighter on dark paper. */
export function nearestReadable(accent: string, surroundings: Surroundings): string {
  const end = luminance(surroundings.paper) > 0.5 ? 0 : 255
  const channels = parseColour(accent) ?? [0, 0, 0]
  const steps = Array.from({ length: 256 }, (_, step) => step / 255)
  const colours = steps.map((share) => hex(channels.map((value) => value + (end - value) * share)))
  return colours.find((colour) => isReadable(colour, surroundings)) ?? hex([end, end, end])
}

const hex = (channels: readonly number[]): string =>
  `#${channels.map((value) => Math.round(value).toString(16).padStart(2, '0')).join('')}`

function luminance(colour: string): number {
  const [red = 0, green = 0, blue = 0] = (parseColour(colour) ?? []).map((value) => {
    const share = value / 255
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}
