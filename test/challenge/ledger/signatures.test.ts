import { expect, it } from 'vitest'
import { emptyLedger } from '../../../src/challenge/ledger/ledger.js'
import { acceptSignature, completeSignature } from '../../../src/challenge/ledger/signatures.js'
import { createSignedFactor } from '../../../src/challenge/reach/factors.js'
import { createSealedChallenge } from '../../../src/challenge/sealed-challenges.js'
import { ledgerLimits as limits } from '../kit.js'

const requester = { browserKind: 'unknown', session: 's1' } as const
const view = { ledger: emptyLedger, now: 1_000_000, limits }
const factor = createSignedFactor({ optionsFor: () => ({}), verify: async () => ({ result: 'rejected' }) })
const sealed = createSealedChallenge(
  { channel: 'passkey', factor },
  { purpose: 'login', bound: undefined, details: undefined },
  { snapshot: view, requester },
)
const displayed = { challenge: sealed.id }
const signed = { id: 'command', tag: 'tag', sealed, displayed, hasChoice: true, ...requester }

it('a signature is accepted once, and again only for the command that a store executes twice', () => {
  const { outcome, next: ledger = emptyLedger } = acceptSignature(view, signed)
  expect(outcome).toEqual({ outcome: 'approved' })
  expect(ledger.last).toBeUndefined()
  const again = { ...view, ledger }
  expect(acceptSignature(again, signed)).toEqual({ outcome: { outcome: 'approved' } })
  expect(acceptSignature(again, { ...signed, id: 'another' })).toEqual({ outcome: { outcome: 'used' } })
})

it('a completed signature clears the failures of the account and no attempt of its windows', () => {
  const failed = { attempts: [999_999], rejections: 3 }
  const ledger = { ...emptyLedger, unknown: failed, lockExpiresAt: 2_000_000 }
  const { next } = completeSignature({ ...view, ledger }, signed)
  expect(next?.last).toEqual({ factor: 'passkey', channel: 'passkey' })
  expect(next?.unknown).toMatchObject({ attempts: [999_999], rejections: 0 })
  expect(next?.lockExpiresAt).toBe(0)
})

it('a signature of another session, or after the end of its challenge, changes nothing', () => {
  const stolen = acceptSignature(view, { ...signed, session: 's2' })
  expect(stolen).toEqual({ outcome: { outcome: 'refused', code: 'challenge_superseded' } })
  const late = acceptSignature({ ...view, now: sealed.expiresAt }, signed)
  expect(late).toEqual({ outcome: { outcome: 'refused', code: 'challenge_gone' } })
})

it('of the signed challenges the newest twenty are remembered, and one that started before them is refused', () => {
  const usedCodes = Array.from({ length: 20 }, (_, index) => ({
    code: `tag-${index}`,
    at: view.now + index,
    by: `by-${index}`,
  }))
  const full = { ...view, now: view.now + 60_000, ledger: { ...emptyLedger, usedCodes } }
  for (const lifetimeMs of [sealed.lifetimeMs, undefined]) {
    const old = { ...signed, sealed: { ...sealed, lifetimeMs } }
    expect(acceptSignature(full, old)).toEqual({ outcome: { outcome: 'used' } })
  }
  const { maxExpiresAt } = sealed
  const young = {
    ...signed,
    sealed: { ...sealed, expiresAt: maxExpiresAt + 1, maxExpiresAt: maxExpiresAt + 1 },
  }
  const { outcome, next } = acceptSignature(full, young)
  expect(outcome).toEqual({ outcome: 'approved' })
  const codes = next?.usedCodes.map(({ code }) => code)
  expect([codes?.length, codes?.at(0), codes?.at(-1)]).toEqual([20, 'tag-1', 'tag'])
})
