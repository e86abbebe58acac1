import type { FaultEffect } from '../../sandbox/index.js'
import { wrongCode } from '../wrong-code.js'
import type { Attack } from './stage.js'
import { fell, NotTried, throwWorst, told } from './verdicts.js'

const kinds = (status: string): Readonly<Record<string, FaultEffect>> => ({
  down: { kind: 'reset' },
  'behind a firewall': { kind: 'html' },
  silent: { kind: 'hang' },
  'right and wrong at once': { kind: 'body', body: { status, error: '1111', msg: 'The code is wrong.' } },
  'approving in unknown words': { kind: 'body', body: { success: true, verified: true, valid: true } },
  'a bare word': { kind: 'body', body: status },
})

/** Sends wrong codes while the provider is down, slow or responds wrongly, each for a different person. */
export const faults: Attack = {
  code: 'provider-faults',
  claim: 'no failure of the provider signs a user in',
  fix: 'return "approved" only for the status that the provider documents, and "unavailable" for every unclear response',
  docs: 'docs/providers.md#your-own-provider',
  async run(stage, tries) {
    stage.mustBring('provider')
    const { faults: box, approvedStatuses } = stage.sandbox
    const all = Object.entries(kinds(approvedStatuses[0] ?? ''))
    tries(`a wrong code while the provider is ${all.map(([name]) => name).join(', ')}`)
    const settled = await Promise.allSettled(
      all.map(async ([name, effect]) => {
        const visit = await stage.challenged(await stage.passwordGiven())
        const { phone } = visit.person
        const times = Number.POSITIVE_INFINITY
        const id = await box.add({ ...effect, operation: 'verifyCode', phone, times })
        const response = await stage
          .verify({ ...visit, code: wrongCode(visit.code) })
          .finally(() => box.remove(id))
        if (response.status < 400) fell(response, `${name}: ${told(response)}`)
        // A person who cannot sign in at all cannot sign in with a wrong code either, and proves nothing.
        await stage.admitted(visit)
        return response.status
      }),
    )
    throwWorst(settled.flatMap((one) => (one.status === 'rejected' ? [one.reason] : [])))
    // The package refused them without the provider, so the faults had no effect.
    if (settled.every((one) => one.status === 'fulfilled' && one.value === 422))
      throw new NotTried('the app checks codes itself', { lacks: 'codes that the provider checks' })
    return 'no wrong code signed in, and afterwards each correct code did'
  },
}
