/**
 * Returns an origin as browsers write it: lower case, without a default port. It also accepts origins of apps and
 * extensions such as `capacitor://localhost`, which `URL` calls opaque. Returns undefined for any other text, including
 * a URL with a path.
 */
export function originOf(text: string): string | undefined {
  if (!/^[a-z][a-z\d+.-]*:\/\/[^/?#@\s]+$/i.test(text) || !URL.canParse(text)) return undefined
  const { origin, protocol, host } = new URL(text)
  return origin === 'null' ? `${protocol}//${host.toLowerCase()}` : origin
}
