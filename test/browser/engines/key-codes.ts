/** The keys that WebDriver names by a code point, in both of its protocols. */
const codePoints: Readonly<Record<string, string>> = {
  Shift: '\uE008',
  Enter: '\uE007',
  Escape: '\uE00C',
  Tab: '\uE004',
}

/** The actions that press and release each key; `Shift+Tab` holds the first one meanwhile. */
export function keyActions(keys: readonly string[]): readonly object[] {
  return keys.flatMap((key) => {
    const values = (key.length > 1 ? key.split('+') : [key]).map((part) => codePoints[part] ?? part)
    const downs = values.map((value) => ({ type: 'keyDown', value }))
    const ups = values.toReversed().map((value) => ({ type: 'keyUp', value }))
    return [...downs, ...ups]
  })
}

export const clickActions = (x: number, y: number): readonly object[] => [
  { type: 'pointerMove', x: Math.round(x), y: Math.round(y) },
  { type: 'pointerDown', button: 0 },
  { type: 'pointerUp', button: 0 },
]
