import type { Responder } from '../http/responder.js'
import { safePath } from '../http/return-path.js'
import { createRouter } from '../http/routes.js'
import type { Pages } from '../pages/pages.js'
import { createLane, type LaneParts } from './handlers.js'
import { createEnrolFlow, createPhoneVerification, type PhoneVerification } from './phone-verification.js'
import { createFindProof } from './proven.js'

/** What this lane decides itself. */
type Own = 'lane' | 'flow' | 'findProven' | 'basePathOf' | 'defaultPurpose' | 'offersTrust'

/** One phone verification with routes and pages of its own, wherever it is mounted. */
export function openPhoneLane(
  parts: Omit<LaneParts, Own> &
    Parameters<typeof createEnrolFlow>[0] &
    Parameters<typeof createFindProof>[0] & { readonly pages: Pages; readonly responder: Responder },
): PhoneVerification {
  const { purpose, pages, responder } = parts
  const { handlers, views } = createLane({
    ...parts,
    lane: 'enrol',
    flow: createEnrolFlow(parts),
    findProven: createFindProof(parts),
    basePathOf: (req) => safePath(req.baseUrl) ?? '',
    defaultPurpose: purpose,
    offersTrust: () => false,
  })
  return createPhoneVerification({
    ...parts,
    handlers,
    routes: () => createRouter(handlers, pages),
    refuse: (req, res, problem) =>
      responder.send(req, res, { reply: 'problem', problem }, (refused) =>
        views.formless({ req, res, fields: {} }, refused),
      ),
  })
}
