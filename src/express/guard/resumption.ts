import type { Request, Response } from 'express'
import type { Details } from '../../challenge/code-provider.js'
import type { Grants, RequiredGrant } from '../../challenge/proofs/grants.js'
import type { KeptForms } from '../../challenge/proofs/kept-forms.js'
import { TwoFactorError } from '../../errors.js'
import type { Identify } from '../host/requester.js'
import { isCrossSite } from '../http/origin-check.js'
import { type BodyParsers, type RequestContext, readBody } from '../http/request-body.js'
import { safePath } from '../http/return-path.js'
import { formBody } from './form-body.js'

/** A form to be posted again by whoever sees it. Hostile: escape it. */
export interface ResumedForm {
  /** A path of this site. */
  readonly action: string
  readonly fields: readonly (readonly [name: string, value: string])[]
  readonly details?: Details | undefined
}

/** What the page of a kept form shows; without `form` it is gone. */
export interface Resumed {
  readonly form?: ResumedForm | undefined
}

/** Forms that guards interrupt, from the refusal to the page that posts them again. */
export interface Resumption {
  /** Keeps the form of a refused request. Returns its id; undefined when it has to be sent again by hand. */
  keep(
    req: Request,
    res: Response,
    required: RequiredGrant,
    details: Details | undefined,
  ): Promise<string | undefined>
  /** The form that a page was opened for, once; undefined when it was opened for none. */
  open(context: RequestContext): Promise<Resumed | undefined>
  /** Takes the forms along when the session id is renewed. */
  move(before: string, after: string): Promise<void>
}

export function createResumption(parts: {
  readonly keptForms: KeptForms
  readonly grants: Pick<Grants, 'read'>
  readonly identify: Identify
  readonly wantsPage: (req: Request) => boolean
  readonly bodyParsers: BodyParsers
}): Resumption {
  const { keptForms, grants, identify, wantsPage, bodyParsers } = parts

  /** The form as it was sent; undefined for everything else. */
  async function bodyOf(req: Request, res: Response): Promise<string | undefined> {
    // CSRF: another site must not have its form confirmed by a code that the person takes for their own.
    if (req.method !== 'POST' || isCrossSite(req, [])) return undefined
    // File uploads and JSON are no form that a page can post again.
    if (!req.is('application/x-www-form-urlencoded')) return undefined
    return formBody(await readBody(bodyParsers, req, res))
  }

  const keep: Resumption['keep'] = async (req, res, { session, ...required }, details) => {
    const action = safePath(req.originalUrl)
    const body = await bodyOf(req, res)
    if (action === undefined || body === undefined || !wantsPage(req)) return undefined
    return keptForms.keep(session, { action, body, details, required })
  }

  return {
    // What cannot be read or kept is sent again by hand, and the refusal stands.
    keep: (req, res, required, details) => keep(req, res, required, details).catch(() => undefined),

    async open({ req, fields }) {
      const id = fields.form
      // What shows nothing must not use the form up.
      if (typeof id !== 'string' || req.method === 'HEAD' || !wantsPage(req)) return undefined
      // CSRF: a link from elsewhere must not lead people to the button.
      if (isCrossSite(req, [])) throw new TwoFactorError('cross_site')
      const requester = identify(req)
      if (requester === undefined) return {}
      const { subject, session } = requester
      const kept = await keptForms.take(session, id)
      // IDOR: another account in the same session must not read it, nor anybody after a revocation.
      if (kept === undefined || kept.required.subject !== subject) return {}
      const grant = await grants.read({ ...kept.required, session })
      if (grant === undefined) return {}
      const { action, body, details } = kept
      return { form: { action, details, fields: [...new URLSearchParams(body)] } }
    },

    async move(before, after) {
      // A form that is lost is typed again: no reason to refuse a sign-in.
      await keptForms.move(before, after).catch(() => undefined)
    },
  }
}
