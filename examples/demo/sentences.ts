/** Result of a request to the bank. */
export interface Outcome {
  readonly method: string
  readonly path: string
  readonly status: number
  /** Target of a redirect. */
  readonly location: string | undefined
  /** Types of the events during the request. */
  readonly events: readonly string[]
}

/** Most informative event first. */
const byEvent: readonly (readonly [type: string, sentence: string])[] = [
  ['subject.locked', 'There were too many wrong codes: the account has to wait.'],
  ['subject.disabled', 'There were too many wrong codes: the account gets no more of them.'],
  ['challenge.approved', 'The code was right.'],
  ['challenge.rejected', 'The code was wrong.'],
  ['challenge.undelivered', 'The code could not be sent.'],
  ['challenge.unconfirmed', 'A code is on its way, perhaps.'],
  ['challenge.sent', 'The bank sent a code.'],
  ['recovery.used', 'The recovery code was right.'],
  ['recovery.failed', 'The recovery code was wrong.'],
  ['factor.changed', 'The security settings were changed.'],
  ['grant.revoked', 'The person signed out.'],
]

const byForm: Readonly<Record<string, string>> = {
  '/login': 'The password was right.',
  '/logout': 'The person signed out.',
  '/settings': 'The settings were saved.',
  '/signup': 'The account was opened.',
  '/transfer': 'The money was sent.',
}

const pages: Readonly<Record<string, string>> = {
  '/account': 'the account',
  '/login': 'the sign-in page',
  '/security': 'the security settings',
  '/settings': 'the settings',
  '/signup': 'the form for an account',
  '/signup/phone': 'the page for a number',
  '/transfer': 'the form for a transfer',
  '/two-factor': 'the next step',
}

/** Returns a plain sentence for the viewer. */
export function sentenceOf({ method, path, status, location, events }: Outcome): string {
  const told = byEvent.find(([type]) => events.includes(type))
  if (told !== undefined) return told[1]
  if (status === 403 || location === '/two-factor') return 'The bank asks for a code.'
  if (status === 401) return 'The bank asks who it is.'
  if (status === 429) return 'The bank checked nothing: there were too many wrong codes.'
  if (status >= 500) return 'Something failed, and the bank let nobody in.'
  if (status >= 400) return 'The bank refused the form.'
  if (method === 'POST') return byForm[path] ?? 'The bank took the form.'
  return location === undefined
    ? `The bank showed ${pages[path.replace(/\/$/, '')] ?? path}.`
    : `The bank led on to ${location}.`
}
