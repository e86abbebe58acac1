/**
 * A code of the same shape that is not the right one: its own characters, moved by one. No other character
 * is sure to be in the alphabet of the account, and a code outside it might be refused for its form alone.
 */
export function wrongCodeLike(code: string): string {
  const moved = code.slice(1) + code.slice(0, 1)
  return moved === code ? code.slice(1) + neighbourOf(code.slice(0, 1)) : moved
}

/** For a code of one character repeated, which moving does not change. */
function neighbourOf(character: string): string {
  if (character === '9') return '8'
  if (character === 'z' || character === 'Z') return String.fromCharCode(character.charCodeAt(0) - 1)
  return String.fromCharCode(character.charCodeAt(0) + 1)
}
