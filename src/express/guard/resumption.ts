import type { Request } from 'express'
import type { Requester } from '../../challenge/commands.js'
import type { Domain } from '../../challenge/domain.js'
import type { Details } from '../../challenge/exchange/code-provider.js'
import { hashId } from '../../challenge/keys.js'
import type { GrantQuery } from '../../challenge/proofs/stored-grant.js'
import { firstPurpose } from '../../challenge/purposes.js'
import { TwoFactorError } from '../../errors.js'
import { isPlainObject } from '../../lib/json.js'
import type { AddressOf } from '../host/requester.js'
import type { Warn } from '../host/warnings.js'
import { isCrossSite, safePath } from '../http/origin.js'
import {
  type Body,
  hasBody,
  isFilled,
  isForm,
  oneString,
  type RequestContext,
  wasParsed,
} from '../http/request-body.js'

/** A form to be posted again by whoever sees it. Hostile: escape it. */
export interface ResumedForm {
  /** A path of this site. */
  readonly action: string
  readonly fields: readonly (readonly [name: string, value: string])[]
  readonly details?: Details | undefined
}

/** What the page of a kept form shows; without `form` it was sent or is gone. */
export interface Resumed {
  readonly form?: ResumedForm | undefined
  readonly isSent?: boolean
}

/** Hidden field by which a guard knows the form that it has kept. */
export const keptFormField = 'twoFactorForm'

/** Forms that guards interrupt, from the refusal to the page that posts them again. */
export type Resumption = ReturnType<typeof createResumption>

export function createResumption(
  { savedForms, grants }: Pick<Domain, 'savedForms' | 'grants'>,
  parts: {
    readonly identify: (req: Request) => Requester | undefined
    readonly wantsPage: (req: Request) => boolean
    readonly addressOf: AddressOf
    readonly warn: Warn
  },
) {
  const { identify, wantsPage, addressOf, warn } = parts

  /** The form as it was parsed; undefined for everything else. */
  function bodyOf(req: Request): string | undefined {
    // CSRF: another site must not have its form confirmed by a code that the person takes for their own.
    if (req.method !== 'POST' || isCrossSite(req, [])) return undefined
    // File uploads and JSON are no form that a page can post again.
    return isForm(req) && wasParsed(req) ? formBody(req.body) : undefined
  }

  async function save(
    req: Request,
    { session, ...required }: GrantQuery,
    details: Details | undefined,
  ): Promise<string | undefined> {
    const action = safePath(req.originalUrl)
    const body = bodyOf(req)
    if (action === undefined || body === undefined || !wantsPage(req)) return undefined
    const signIn = { purpose: firstPurpose, maxAgeMs: Number.MAX_SAFE_INTEGER, recoveryCode: true }
    const isSignedIn = (await grants.read({ ...signIn, subject: required.subject, session })) !== undefined
    const form = { action, body, details, session: hashId(session), required, isSignedIn }
    return savedForms.save(form, addressOf(req))
  }

  return {
    /**
     * Keeps the form of a refused request. Returns its id; undefined when it has to be sent again by hand, and the
     * refusal stands.
     */
    keep: (...given: Parameters<typeof save>) => save(...given).catch(() => undefined),

    /** Takes the id of a kept form out of the body, before the host reads it; undefined when there is none. */
    claim(req: Request): string | undefined {
      if (!isFilled(req)) {
        // What the guard cannot see is neither kept, nor known when it comes back.
        if (isForm(req) && hasBody(req) && !req.readableDidRead) warn('TWO_FACTOR_NOT_PARSED')
        return undefined
      }
      const id = oneString(req.body, keptFormField)
      Reflect.deleteProperty(req.body, keptFormField)
      return id
    },

    /** The guard admits the form: it is not shown again. That a page forgets it is no reason to refuse. */
    admitted: ({ subject }: GrantQuery, id: string) =>
      savedForms.markSent(subject, id).catch(() => undefined),

    /**
     * The guard refuses it as it came back, changed: what is kept now takes its place. True where it was sent already.
     */
    forget: ({ subject }: GrantQuery, id: string) => savedForms.forget(subject, id).catch(() => false),

    /** The form that a page was opened for, until it is sent; undefined when it was opened for none. */
    async open({ req, fields }: RequestContext): Promise<Resumed | undefined> {
      const id = oneString(fields, 'form')
      // JSON tells nothing but the challenge.
      if (id === undefined || !wantsPage(req)) return undefined
      // CSRF: a link from elsewhere must not lead people to the button.
      if (isCrossSite(req, [])) throw new TwoFactorError('cross_site')
      const requester = identify(req)
      if (requester === undefined) return {}
      const { subject, session } = requester
      const found = await savedForms.find(subject, id)
      if (found === undefined) return {}
      if (found.form === undefined) return { isSent: true }
      const { action, body, details, required } = found.form
      // Nor another session of the account: its id may stand in a history that several people read.
      const sessions = [hashId(session), ...(await grants.earlierSessions(requester))]
      if (!sessions.includes(found.form.session)) return {}
      // Nor anybody after a revocation.
      if ((await grants.read({ ...required, session })) === undefined) return {}
      return { form: { action, details, fields: [...new URLSearchParams(body), [keptFormField, id]] } }
    },
  }
}

/** As much as is kept of one form: what it takes is taken from the store. */
const maxBytes = 8_192

/**
 * The parsed body as the form that it came from, URL-encoded; undefined when it is too long or holds what no
 * form can send. Fields of one name keep their order.
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

/** Lists and objects are named as parsers with `extended: true` read them. */
function fieldsNamed(name: string, value: unknown): Field[] | undefined {
  if (typeof value === 'string') return [[name, value]]
  if (isPlainObject(value)) {
    return fieldsOf(Object.entries(value).map(([member, item]) => [`${name}[${member}]`, item]))
  }
  if (!Array.isArray(value)) return undefined
  // A field that is repeated; a list of one was named as a list.
  const isRepeated = value.length > 1 && value.every((item) => typeof item === 'string')
  return fieldsOf(value.map((item, index) => [isRepeated ? name : `${name}[${index}]`, item]))
}
