import type { Request } from 'express'
import type { BeforeSend, Challenges } from '../../challenge/commands.js'
import type { Endpoint } from '../http/endpoint.js'
import { createViews, type ViewParts, type Views } from '../pages/views.js'
import { createHandlers, type Flow, type Handlers } from './handlers.js'

/** Handlers and pages of one lane: sign-in and step-up, or one phone verification. */
export function createLane(
  parts: Omit<ViewParts, 'actor' | 'find'> & {
    readonly flow: Flow
    readonly challenges: Challenges
    readonly endpoint: Endpoint
    readonly localeOf: (req: Request) => string
    readonly codePattern: RegExp
    readonly beforeSendOf: (req: Request) => BeforeSend | undefined
  },
): { readonly handlers: Handlers; readonly views: Views } {
  const { flow, challenges } = parts
  const views = createViews({ ...parts, actor: flow.actor, find: challenges.find })
  return { views, handlers: createHandlers({ ...parts, views }) }
}
