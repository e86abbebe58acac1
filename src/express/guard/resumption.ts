import type { Request } from 'express'
import type { Requester } from '../../challenge/commands.js'
import type { Domain } from '../../challenge/domain.js'
import type { Details } from '../../challenge/exchange/code-provider.js'
import { hashId } from '../../challenge/keys.js'
import type { GrantQuery } from '../../challenge/proofs/stored-grant.js'
import { firstPurpose } from '../../challenge/purposes.js'
import { isPlainObject } from '../../lib/json.js'
import type { AddressOf } from '../host/requester.js'
import type { Warn } from '../host/warnings.js'
import { isCrossSite } from '../http/origin.js'
import type { OriginCheck } from '../http/origin-check.js'
import {
  type Body,
  findField,
  hasBody,
  isFilled,
  isForm,
  type RequestContext,
  wasParsed,
} from '../http/request-body.js'
import type { SitePaths } from '../http/site-paths.js'
import { routeOf } from './missing-body.js'

/** A saved form that the user can submit again. It is user input: escape it. */
export interface ResumedForm {
  /** Path of this site. */
  readonly action: string
  readonly fields: readonly (readonly [name: string, value: string])[]
  readonly details?: Details | undefined
}

/** Content of the page of a saved form. Without `form` it was sent or has expired. */
export interface Resumed {
  readonly form?: ResumedForm | undefined
  readonly isSent?: boolean
}

/** Hidden field by which a guard recognises its saved form. */
export const keptFormField = 'twoFactorForm'

/** Saved forms, from the refusal to the page that submits them again. */
export type Resumption = ReturnType<typeof createResumption>

export function createResumption(
  { savedForms, grants }: Pick<Domain, 'savedForms' | 'grants'>,
  parts: {
    readonly identify: (req: Request) => Requester | undefined
    readonly wantsPage: (req: Request) => boolean
    readonly fromApp: SitePaths['fromApp']
    readonly refuseCrossSite: OriginCheck
    readonly addressOf: AddressOf
    readonly warn: Warn
  },
) {
  const { identify, wantsPage, fromApp, refuseCrossSite, addressOf, warn } = parts

  /** Returns the parsed form, or undefined for any other body. */
  function bodyOf(req: Request): string | undefined {
    // The form of another site must not be confirmed by a code that the user enters for something else (CSRF).
    if (req.method !== 'POST' || isCrossSite(req, [])) return undefined
    // A page cannot submit file uploads and JSON again.
    return isForm(req) && wasParsed(req) ? formBody(req.body) : undefined
  }

  async function save(
    req: Request,
    { session, ...required }: GrantQuery,
    details: Details | undefined,
  ): Promise<string | undefined> {
    const action = fromApp(req.originalUrl)
    const body = bodyOf(req)
    if (action === undefined || body === undefined || !wantsPage(req)) return undefined
    const signIn = { purpose: firstPurpose, maxAgeMs: Number.MAX_SAFE_INTEGER, recoveryCode: true }
    const isSignedIn = (await grants.read({ ...signIn, subject: required.subject, session })) !== undefined
    const form = { action, body, details, session: hashId(session), required, isSignedIn }
    return savedForms.save(form, addressOf(req))
  }

  return {
    /** Saves the form of a refused request and returns its id, or undefined if the user must submit it by hand. */
    keep: (...given: Parameters<typeof save>) => save(...given).catch(() => undefined),

    /** Removes the id of a saved form from the body before the app reads it. Returns undefined if there is none. */
    claim(req: Request): string | undefined {
      if (!isFilled(req)) {
        // The guard cannot see an unparsed form, so it neither saves nor recognises it.
        if (isForm(req) && hasBody(req) && !req.readableDidRead) {
          warn('TWO_FACTOR_NOT_PARSED', routeOf(req))
        }
        return undefined
      }
      const id = findField(req.body, keptFormField)
      Reflect.deleteProperty(req.body, keptFormField)
      return id
    },

    /** Marks the form as sent when the guard admits it. A failure here is no reason to refuse. */
    admitted: ({ subject }: GrantQuery, id: string) =>
      savedForms.markSent(subject, id).catch(() => undefined),

    /**
     * Removes the form when the guard refuses a changed copy, which is then saved instead. Returns true if it was
     * already sent.
     */
    forget: ({ subject }: GrantQuery, id: string) => savedForms.forget(subject, id).catch(() => false),

    /** Opens the saved form of a page until it is sent. Returns undefined if the page has none. */
    async open({ req, fields }: RequestContext): Promise<Resumed | undefined> {
      const id = findField(fields, 'form')
      // JSON contains only the challenge.
      if (id === undefined || !wantsPage(req)) return undefined
      // A link of another site must not lead users to the button (CSRF).
      refuseCrossSite(req, [])
      const requester = identify(req)
      if (requester === undefined) return {}
      const { subject, session } = requester
      const found = await savedForms.find(subject, id)
      if (found === undefined) return {}
      if (found.form === undefined) return { isSent: true }
      const { action, body, details, required } = found.form
      // Another session of the account must not open it, because the id may be in a shared browser history.
      const sessions = [hashId(session), ...(await grants.earlierSessions(requester))]
      if (!sessions.includes(found.form.session)) return {}
      // After a revocation, no session opens it.
      if ((await grants.read({ ...required, session })) === undefined) return {}
      return { form: { action, details, fields: [...new URLSearchParams(body), [keptFormField, id]] } }
    },
  }
}

/** Maximum size of a saved form, because it uses room in the store. */
const maxBytes = 8_192

/**
 * Returns the parsed body as a URL-encoded form. Returns undefined if it is too long or contains values that no form
 * can send. Repeated fields keep their order.
 */
export function formBody(body: Body): string | undefined {
  const fields = fieldsOf(Object.entries(body))
  if (fields === undefined) return undefined
  const encoded = new URLSearchParams(fields).toString()
  return encoded.length > maxBytes ? undefined : encoded
}

type Field = [name: string, value: string]

function fieldsOf(named: readonly (readonly [string, unknown])[]): Field[] | undefined {
  const fields = named.map(([name, value]) => fieldsNamed(name, value))
  return fields.every((some) => some !== undefined) ? fields.flat() : undefined
}

/** Names lists and objects as parsers with `extended: true` read them. */
function fieldsNamed(name: string, value: unknown): Field[] | undefined {
  if (typeof value === 'string') return [[name, value]]
  if (isPlainObject(value)) {
    return fieldsOf(Object.entries(value).map(([member, item]) => [`${name}[${member}]`, item]))
  }
  if (!Array.isArray(value)) return undefined
  // A repeated field. A list with one value was named as a list.
  const isRepeated = value.length > 1 && value.every((item) => typeof item === 'string')
  return fieldsOf(value.map((item, index) => [isRepeated ? name : `${name}[${index}]`, item]))
}
