import { changed, confirmed, contentTypes, otherMethods, spellings, twice, unproven } from './actions.js'
import { codeForm, cookies, crossSite, pageHeaders, returnTo } from './answers.js'
import { guesses, rightCodes, starts } from './bursts.js'
import { faults } from './faults.js'
import { coverage, secrets, warnings } from './leaks.js'
import {
  namedByRequest,
  otherSession,
  passwordChange,
  passwordOnly,
  renewal,
  replay,
  sameBrowser,
  signIn,
  signOut,
} from './sessions.js'
import { signUp } from './sign-up.js'
import type { Run } from './stage.js'

/** One row of the rehearsal: what has to be true, how it is attacked, and what to change when it falls. */
export interface Attack {
  readonly code: string
  readonly claim: string
  readonly fix: string
  readonly docs: string
  readonly run: Run
  /** Begins with the first and goes on beside all others. */
  readonly beside?: true
  /** Judges everything that was sent and said, and so comes last. */
  readonly judgesAll?: true
}

/** In this order: what comes first shows the others what it looks like when something was done. */
export const attacks: readonly Attack[] = [
  {
    code: 'sign-in',
    claim: 'the right code signs in, and a wrong one does not',
    fix: 'mount one session before tf.routes() and every guard, and let the app send its codes through this sandbox',
    docs: 'docs/sessions.md#order-of-mounting',
    run: signIn,
  },
  {
    code: 'confirmed-action',
    claim: 'after its code an action is done',
    fix: 'mount the parser before the guard, and routes() behind the same session: app.post(path, express.json(), tf.requireTwoFactor({ … }), handler)',
    docs: 'docs/sessions.md#order-of-mounting',
    run: confirmed,
  },
  {
    code: 'guesses',
    claim: 'of many wrong codes at once, over many sessions, at most ten are judged',
    fix: 'call twoFactor() once, at start-up, with one store for all sessions and processes',
    docs: 'docs/limits.md',
    run: guesses,
  },
  {
    code: 'right-codes',
    claim: 'of many right codes at once one succeeds',
    fix: 'call twoFactor() once, with one store; a store of your own has to pass storeContract',
    docs: 'docs/stores.md',
    run: rightCodes,
  },
  {
    code: 'starts',
    claim: 'of many starts at once one sends',
    fix: 'let the routes of the package send every code, with one store',
    docs: 'docs/limits.md',
    run: starts,
  },
  {
    code: 'password-only',
    claim: 'a password alone shows no page',
    fix: 'put tf.requireTwoFactor() before the route, and set the signed-in user in onVerified only',
    docs: 'docs/api.md#the-guard',
    run: passwordOnly,
  },
  {
    code: 'without-code',
    claim: 'no action is done without a code',
    fix: 'put tf.requireTwoFactor({ … }) between parser and handler: app.post(path, parser, guard, handler)',
    docs: 'docs/api.md#the-guard',
    run: unproven,
  },
  {
    code: 'other-methods',
    claim: 'no action is done without a code by another method',
    fix: 'change nothing on GET, and put the guard before the handlers of every method: app.all(path, guard)',
    docs: 'docs/api.md#the-guard',
    run: otherMethods,
  },
  {
    code: 'spellings',
    claim: 'no action is done without a code in another spelling of its path',
    fix: 'mount the guard on the route or router itself, in place of comparing req.path',
    docs: 'docs/security.md#what-to-keep-apart',
    run: spellings,
  },
  {
    code: 'content-types',
    claim: 'no action is done without a code in another content type',
    fix: 'let the guard stand before the handler whatever the body is, with every parser before the guard',
    docs: 'docs/api.md#the-guard',
    run: contentTypes,
  },
  {
    code: 'changed',
    claim: 'a code covers the action that it was shown for and no other',
    fix: 'return every field that the handler uses from bind, read from the same place',
    docs: 'docs/api.md#the-guard',
    run: changed,
  },
  {
    code: 'twice',
    claim: 'one code is good for one action',
    fix: 'add once: true to the guard',
    docs: 'docs/api.md#the-guard',
    run: twice,
  },
  {
    code: 'replay',
    claim: 'a used code is worth nothing',
    fix: 'let the routes of the package check every code',
    docs: 'docs/security.md#threats-and-controls',
    run: replay,
  },
  {
    code: 'session-renewal',
    claim: 'the session id from before the code is worth nothing after it',
    fix: 'let rotate() of the session adapter give the session a new id that the cookie carries, and end the old one',
    docs: 'docs/sessions.md#other-session-libraries',
    run: renewal,
  },
  {
    code: 'other-session',
    claim: 'a proof is worth nothing in another browser, or to another person',
    fix: 'ask tf.requireTwoFactor() or tf.grants.read(req) about each request, in place of a note about the account',
    docs: 'docs/api.md#grants',
    run: otherSession,
  },
  {
    code: 'named-by-request',
    claim: 'no request names who signs in, or where the code goes',
    fix: 'read subject from the session and phone from your database, never from body, query or headers',
    docs: 'docs/security.md#threats-and-controls',
    run: namedByRequest,
  },
  {
    code: 'same-browser',
    claim: 'what one person proved is worth nothing to the next in the same browser',
    fix: 'let subject and handlers name the same person: req.session.pendingUserId ?? req.session.userId',
    docs: 'docs/sessions.md#express-session',
    run: sameBrowser,
  },
  {
    code: 'sign-out',
    claim: 'a sign-out ends what was proven',
    fix: 'await tf.grants.revoke(req), then destroy the session; to clear the cookie ends nothing',
    docs: 'docs/sessions.md#logout',
    run: signOut,
  },
  {
    code: 'password-change',
    claim: 'a new password ends every other session',
    fix: 'await tf.subjects.revokeEverything(subject) after a new password',
    docs: 'docs/sessions.md#logout',
    run: passwordChange,
  },
  {
    code: 'sign-up',
    claim: 'an account gets the number that its owner proved, and no taken name',
    fix: 'put requireProof() before the handler, take req.provenPhone.phone, and refuse a name that is taken',
    docs: 'docs/api.md#phone-verification',
    run: signUp,
  },
  {
    code: 'cross-site',
    claim: 'another site can neither start, verify nor read',
    fix: 'list the origins that you know in cors() and allowedOrigins, in place of every one that asks',
    docs: 'docs/browser.md#another-origin',
    run: crossSite,
  },
  {
    code: 'return-to',
    claim: 'no sign-in leads to another site',
    fix: 'redirect to paths that you know; let returnTo be read by the routes of the package only',
    docs: 'docs/http.md#where-success-leads',
    run: returnTo,
  },
  {
    code: 'cookies',
    claim: 'the session cookie is out of reach of scripts and other sites',
    fix: "set cookie: { httpOnly: true, sameSite: 'lax' } of the session",
    docs: 'docs/sessions.md#express-session',
    run: cookies,
  },
  {
    code: 'code-page',
    claim: 'the code page posts to the routes of the package',
    fix: 'let the form of your own page post to verifyUrl of the view',
    docs: 'docs/pages.md#a-page-of-your-own',
    run: codeForm,
  },
  {
    code: 'headers',
    claim: 'no frame holds the code page, and no shared cache a page of the signed-in',
    fix: 'send Cache-Control: private or no-store behind guards, and leave the headers of the package as they are',
    docs: 'docs/security.md#what-to-keep-apart',
    run: pageHeaders,
  },
  {
    code: 'provider-faults',
    claim: 'no trouble of the provider lets anybody in',
    fix: 'return "approved" for the one status that the provider documents, and "unavailable" for whatever you cannot read',
    docs: 'docs/providers.md#a-provider-of-your-own',
    run: faults,
    beside: true,
  },
  {
    code: 'secrets',
    claim: 'no code and no key is in a response, an event or the log',
    fix: 'log neither bodies nor options',
    docs: 'docs/events.md#logs-and-metrics',
    run: secrets,
    judgesAll: true,
  },
  {
    code: 'unguarded',
    claim: 'no route that changes something responded without a guard',
    fix: 'put a guard before it, or list it in ignore',
    docs: 'docs/sandbox.md#fixtures-and-coverage-of-guards',
    run: coverage,
    judgesAll: true,
  },
  {
    code: 'warnings',
    claim: 'the package warned of no mistake of wiring',
    fix: 'do what the warning says',
    docs: 'docs/troubleshooting.md#warnings',
    run: warnings,
    judgesAll: true,
  },
]
