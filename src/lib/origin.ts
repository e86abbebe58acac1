/**
 * An origin in the spelling of browsers: lower case, without a default port. Those of apps and extensions, such as
 * `capacitor://localhost`, which `URL` calls opaque, as well. Undefined for anything with a path, and for what is none.
 */
export function originOf(text: string): string | undefined {
  if (!/^[a-z][a-z\d+.-]*:\/\/[^/?#@\s]+$/i.test(text) || !URL.canParse(text)) return undefined
  const { origin, protocol, host } = new URL(text)
  return origin === 'null' ? `${protocol}//${host.toLowerCase()}` : origin
}
