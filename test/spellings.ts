/**
 * A secret as it stands, and as somebody might have written it down: form-encoded, in hexadecimal, in base64 by itself
 * or in a longer text, each of them backwards too.
 */
export function spellingsOf(secret: string): string[] {
  const bytes = Buffer.from(secret)
  // In the midst of other text base64 has three alignments. Of each the characters count that are its own.
  const aligned = [0, 1, 2].map((lead) => {
    const encoded = Buffer.concat([Buffer.alloc(lead), bytes]).toString('base64')
    return encoded.slice(Math.ceil((lead * 4) / 3), Math.floor(((lead + bytes.length) * 4) / 3))
  })
  const forUrls = aligned.map((text) => text.replaceAll('+', '-').replaceAll('/', '_'))
  const written = [secret, encodeURIComponent(secret), bytes.toString('hex'), ...aligned, ...forUrls]
  return written.flatMap((text) => [text, [...text].reverse().join('')])
}
