import type { Request } from 'express'
import { hashId } from '../../challenge/keys.js'
import type { Secrets } from '../../challenge/secrets.js'

/** What a guard asks for: proof for this purpose, these bound fields, in this session. */
export interface Requirement {
  readonly purpose: string
  /** Hash of the bound fields. */
  readonly bound?: string | undefined
  /** Path to come back to. */
  readonly returnTo?: string | undefined
  /** A trusted device will not do: this is a step-up. */
  readonly requireCode?: boolean
}

export interface Requirements {
  /** A token that only the session of this request can use, for ten minutes. */
  issue(req: Request, requirement: Requirement): string
  /** The same, but it outlives a code that was sent just now: one in its place is then bound alike. */
  reissue(req: Request, requirement: Requirement): string
  /** What the token asks for; undefined when it is not ours, not this session's, or too old. */
  read(req: Request, token: string): Requirement | undefined
}

type Claims = Requirement & { readonly session: string; readonly end: number }

const lifetimeMs = 10 * 60_000

/** Requirements travel through the browser, hence signed: it must not choose purpose or bound fields. */
export function createRequirements(parts: {
  readonly secrets: Secrets
  readonly sessionOf: (req: Request) => string
  readonly codeLifetimeMs: number
  readonly now: () => number
}): Requirements {
  const { secrets, sessionOf, codeLifetimeMs, now } = parts

  function tokenFor(req: Request, requirement: Requirement, forMs: number): string {
    const claims: Claims = { ...requirement, session: hashId(sessionOf(req)), end: now() + forMs }
    const payload = Buffer.from(JSON.stringify(claims)).toString('base64url')
    return `${payload}.${secrets.sign('requirement', payload)}`
  }

  return {
    issue: (req, requirement) => tokenFor(req, requirement, lifetimeMs),
    reissue: (req, requirement) => tokenFor(req, requirement, codeLifetimeMs + lifetimeMs),

    read(req, token) {
      const [payload, signature, ...rest] = token.split('.')
      if (payload === undefined || signature === undefined || rest.length > 0) return undefined
      if (!secrets.verify('requirement', payload, signature)) return undefined
      const {
        session: tag,
        end,
        ...requirement
      } = JSON.parse(Buffer.from(payload, 'base64url').toString()) as Claims
      return tag === hashId(sessionOf(req)) && now() < end ? requirement : undefined
    },
  }
}

/** Where a token that is worth nothing any more led back to. Unproven: no better than a query member. */
export function pathIn(token: string): string | undefined {
  const [payload = ''] = token.split('.')
  try {
    const { returnTo } = JSON.parse(Buffer.from(payload, 'base64url').toString())
    return typeof returnTo === 'string' ? returnTo : undefined
  } catch {
    return undefined
  }
}
