/** Methods that read (RFC 9110, 9.2.1, and the registry of methods). */
const safeMethods = ['GET', 'HEAD', 'OPTIONS', 'QUERY', 'PROPFIND', 'REPORT', 'SEARCH']

/** Methods for which an app may have a handler by accident. */
export const methods = [...safeMethods, 'POST', 'PUT', 'PATCH', 'DELETE', 'PURGE']

/** Methods that a server may read from a POST. */
export const overrides = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']

/** Headers from which a server may read another method. */
export const overrideHeaders = ['x-http-method-override', 'x-http-method', 'x-method-override']

/** Headers from which an app may read the address of a visitor. */
const addressHeaders = [
  ...['x-forwarded-for', 'x-real-ip', 'x-client-ip', 'x-cluster-client-ip', 'true-client-ip'],
  ...['cf-connecting-ip', 'fastly-client-ip', 'x-original-forwarded-for', 'x-remote-addr'],
]

type Headers = Readonly<Record<string, string>>

/** Headers that claim to come from the app's own network, proxy or client, or from no browser. */
export const forgedHeaders: readonly Headers[] = [
  ...addressHeaders.map((name) => ({ [name]: '127.0.0.1' })),
  ...['10.0.0.1', '172.16.0.1', '192.168.0.1', '::1'].map((address) => ({
    'x-forwarded-for': address,
    'x-real-ip': address,
  })),
  { forwarded: 'for=127.0.0.1' },
  ...['localhost', 'internal', 'admin.localhost'].flatMap((host) => [{ 'x-forwarded-host': host }, { host }]),
  { 'x-forwarded-proto': 'https' },
  { 'x-forwarded-prefix': '/internal' },
  ...['XMLHttpRequest', 'fetch'].map((value) => ({ 'x-requested-with': value })),
  { 'x-internal': '1', 'x-internal-request': 'true' },
  { 'x-two-factor': 'true', 'x-verified': 'true', 'x-mfa': 'true' },
  { 'x-forwarded-user': 'admin', 'x-remote-user': 'admin', 'x-user-role': 'admin' },
  { authorization: 'Bearer x' },
  { accept: 'text/html' },
  { accept: '*/*' },
  ...['kube-probe/1.30', 'curl/8.5.0', 'okhttp/4.12.0', 'Googlebot/2.1'].map((name) => ({
    'user-agent': name,
  })),
  // The agent leaves empty headers out.
  { origin: '', 'sec-fetch-site': '' },
]

/** Headers from which a server may read the path. */
export const pathHeaders = ['x-original-url', 'x-rewrite-url', 'x-forwarded-path', 'x-forwarded-uri']

/** Returns headers in which an app may read the user, as behind a gateway that signs users in. */
export const namingHeaders = (names: readonly string[]): readonly Headers[] =>
  names.map((name) => Object.fromEntries(userHeaders.map((header) => [header, name])))

const userHeaders = [
  ...['x-user', 'x-user-id', 'x-username', 'x-user-email', 'x-account-id', 'x-forwarded-user'],
  ...['x-remote-user', 'remote-user', 'x-auth-request-user', 'x-authenticated-user'],
]

/** Returns spellings of a path that a router may treat as equal, and a guard as different. */
export function spellingsOf(path: string): readonly string[] {
  const end = path.lastIndexOf('/')
  const [before, last] = [path.slice(0, end), path.slice(end + 1)]
  const capital = `${before}/${last.charAt(0).toUpperCase()}${last.slice(1)}`
  const encoded = (text: string) =>
    text.replace(/[a-z]/i, (letter) => `%${letter.charCodeAt(0).toString(16)}`)
  return [
    ...[path, `${path}/`, path.toUpperCase(), capital, `${capital}/`],
    ...[`${path}?purpose=login`, `${path}?twoFactor=1&req.twoFactor=1`, `${path}#x`],
    ...[`${before}//${last}`, `/${path}`, `${before}/./${last}`, `${before}/x/../${last}`],
    ...[`${before}/${encoded(last)}`, encoded(path), encoded(`${before.toUpperCase()}/`) + encoded(last)],
    ...[`${before}%2F${last}`, `${path}%2F`, `${path}%00`, `${path}%20`, `${path}%`, `${path}%0d%0aX:1`],
    ...[`${path};admin=1`, `${path}.json`, `${before}/%2e/${last}`, `${before}/%2e%2e${path}`],
    ...[`${before}\\${last}`, `${path}%C3%B3`],
    // RFC 9112, 3.2.2: a server must accept the absolute form.
    `http://localhost${path}`,
  ]
}

/** Names under which an app may read from a request the subject, the destination of a code, or the next page. */
export const subjectNames = [
  ...[
    'subject',
    'user',
    'userId',
    'user_id',
    'username',
    'name',
    'login',
    'email',
    'id',
    'account',
    'accountId',
    'owner',
    'from',
  ],
]
export const phoneNames = ['phone', 'phoneNumber', 'phone_number', 'mobile', 'number', 'tel', 'to']
export const wayNames = [
  ...['callbackUrl', 'returnTo', 'return_to', 'returnUrl', 'next', 'redirect', 'continue', 'url'],
]

/** A foreign site. */
export const attacker = 'https://evil.example'

/** Returns foreign origins that a careless comparison accepts as one of these. */
export function originsLike(origins: readonly string[]): readonly string[] {
  const like = origins.flatMap((origin) => {
    const { protocol, hostname, port } = new URL(origin)
    const end = port === '' ? '' : `:${port}`
    // The app may own other names below its domain.
    const domain = /[a-z]/i.test(hostname) ? hostname.split('.').slice(-2).join('.') : hostname
    return [
      ...[`${protocol}//${hostname}.evil.example`, `${origin}.evil.example`],
      ...[`${protocol}//evil${domain}${end}`, `https://evil-${domain}${end}`, `${attacker}${end}`],
    ]
  })
  return [attacker, 'null', ...new Set(like)]
}

/** Values of `Location` that make a browser leave the site although they begin, or nearly begin, with a slash. */
export const waysOut = [
  attacker,
  'https:evil.example',
  '//evil.example',
  '///evil.example',
  '////evil.example',
  '/\\evil.example',
  '\\/evil.example',
  '\\\\evil.example',
  '/\\/evil.example',
  '/\t/evil.example',
  '/\n/evil.example',
  '/\r/evil.example',
  '\t//evil.example',
  ' //evil.example',
  '/ /evil.example',
  '\u0000//evil.example',
  '/\u0000/evil.example',
  '/\u00a0/evil.example',
  '／／evil.example',
  '/／evil.example',
  '/﹨evil.example',
  '/evil.example\r\nSet-Cookie: a=b',
  'javascript:alert(1)',
  'JaVaScRiPt:alert(1)',
  'data:text/html,x',
  'evil.example',
  '@evil.example',
  '.evil.example',
  '?next=//evil.example',
  '#//evil.example',
  './/evil.example',
  '../evil.example',
]

/** Returns headers of requests to this origin that another site triggered in a browser. */
export function crossSiteHeaders(origin: string): Readonly<Record<string, Readonly<Record<string, string>>>> {
  return {
    'another site': { 'sec-fetch-site': 'cross-site', origin: attacker },
    'another host of the site': { 'sec-fetch-site': 'same-site' },
    'an unknown word': { 'sec-fetch-site': 'friendly' },
    'two words': { 'sec-fetch-site': 'same-origin, cross-site' },
    'cross-site with our own origin': { 'sec-fetch-site': 'cross-site', origin },
    'another origin': { origin: attacker },
    'another port': { origin: 'http://127.0.0.1:1' },
    'a look-alike': { origin: `${origin}.evil.example` },
    'no origin at all': { origin: 'null' },
    'a file': { origin: 'file://' },
    'another scheme of our host': { origin: origin.replace('http:', 'ftp:') },
    'no URL': { origin: `${origin}, ${attacker}` },
  }
}
