import { describe, expect } from 'vitest'
import { createKeys, hashId } from '../../../src/challenge/keys.js'
import { createPhoneVerifications } from '../../../src/challenge/proofs/phone-verifications.js'
import { TwoFactorError } from '../../../src/errors.js'
import { day, minute } from '../kit.js'
import { createService, it } from '../service.js'

const typed = { purpose: 'signup', phone: '300 123 4567', country: 'CO' }
const proven = { purpose: 'signup', phone: '+573001234567', provisional: false }
const handedOver = { phone: '+573001234567' }

describe('the record of a number to be proven', () => {
  it('opens for no other session and in no other namespace, wherever it is copied to', async ({
    service,
  }) => {
    const { phoneVerifications, store, keys, secrets } = service
    await phoneVerifications.open('s1').begin(typed)
    const entry = await store.read(keys.enrolment('s1'))
    await store.swap(keys.enrolment('s2'), undefined, entry?.value, minute)
    expect(await phoneVerifications.find('s2')).toBeUndefined()
    const elsewhere = createKeys('elsewhere', secrets)
    await store.swap(elsewhere.enrolment('s1'), undefined, entry?.value, minute)
    expect(await createPhoneVerifications({ ...service, keys: elsewhere }).find('s1')).toBeUndefined()
    expect(await phoneVerifications.find('s1')).toBeDefined()
  })

  it('ends after half an hour by our clock, even when the store still has it', async () => {
    const { phoneVerifications, wait } = createService({
      commands: (well) => ({ swap: (key, version, next) => well.swap(key, version, next, day) }),
    })
    await phoneVerifications.open('s1').begin(typed)
    wait(30 * minute - 1)
    expect(await phoneVerifications.find('s1')).toBeDefined()
    wait(1)
    expect(await phoneVerifications.find('s1')).toBeUndefined()
  })

  it('is handed out once it is proven, once, for its purpose', async ({ phoneVerifications, now }) => {
    await phoneVerifications.open('s1').begin(typed)
    expect(await phoneVerifications.redeem('s1', 'signup', undefined)).toBeUndefined()
    expect(await phoneVerifications.find('s1')).toMatchObject(typed)
    await phoneVerifications.prove('s1', proven)
    expect(await phoneVerifications.redeem('s1', 'change-number', undefined)).toBeUndefined()
    const handedOut = await Promise.all([
      phoneVerifications.redeem('s1', 'signup', undefined),
      phoneVerifications.redeem('s1', 'signup', undefined),
    ])
    expect(handedOut.filter((one) => one !== undefined)).toEqual([{ ...handedOver, verifiedAt: now() }])
    expect(await phoneVerifications.find('s1')).toBeUndefined()
    expect(await phoneVerifications.redeem('nobody', 'signup', undefined)).toBeUndefined()
  })

  it('replaces no newer record when it is returned', async ({ phoneVerifications }) => {
    await phoneVerifications.open('s1').begin(typed)
    await phoneVerifications.prove('s1', proven)
    const taken = await phoneVerifications.take('s1', 'signup', undefined)
    await phoneVerifications.open('s1').begin({ ...typed, phone: '300 111 2222' })
    await taken?.giveBack()
    expect(await phoneVerifications.find('s1')).toMatchObject({ phone: '300 111 2222' })
    expect(await phoneVerifications.find('s1')).not.toHaveProperty('verifiedAt')
  })

  it('leaves no entry in the store after its end or its redemption', async ({
    phoneVerifications,
    store,
    keys,
    wait,
  }) => {
    for (const session of ['s1', 's2']) await phoneVerifications.open(session).begin(typed)
    await phoneVerifications.prove('s2', proven)
    await phoneVerifications.redeem('s2', 'signup', undefined)
    // The number goes at once.
    expect(await store.read(keys.enrolment('s2'))).not.toHaveProperty('value.sealed')
    wait(30 * minute)
    for (const session of ['s1', 's2']) expect(await store.read(keys.enrolment(session))).toBeUndefined()
  })

  it('moves with its session, keeps its end, and leaves nothing behind', async ({
    phoneVerifications,
    wait,
  }) => {
    await phoneVerifications.open('s1').begin(typed)
    await phoneVerifications.prove('s1', proven)
    wait(20 * minute)
    await phoneVerifications.move('s1', 's2')
    await phoneVerifications.move('nobody', 's3')
    expect(await phoneVerifications.find('s1')).toBeUndefined()
    expect(await phoneVerifications.find('s2')).toMatchObject(proven)
    wait(10 * minute)
    expect(await phoneVerifications.find('s2')).toBeUndefined()
  })

  it('keeps its visitor after a renewal and returns it to the new session only', async ({
    phoneVerifications,
  }) => {
    const visitor = await phoneVerifications.open('s1').read()
    expect(await phoneVerifications.open('s1').read()).toBe(visitor)
    expect(await phoneVerifications.open('s3').read()).not.toBe(visitor)
    await phoneVerifications.open('s1').begin(typed)
    expect(await phoneVerifications.open('s1').read()).toBe(visitor)
    await phoneVerifications.move('s1', 's2')
    expect(await phoneVerifications.open('s2').read()).toBe(visitor)
    expect(await phoneVerifications.open('s1').read()).not.toBe(visitor)
  })

  it('is proven only where it was begun', async ({ phoneVerifications }) => {
    expect(await phoneVerifications.prove('s1', proven)).toBeUndefined()
    expect(await phoneVerifications.redeem('s1', 'signup', undefined)).toBeUndefined()
  })

  it('cannot be redeemed while it is provisional', async ({ phoneVerifications }) => {
    await phoneVerifications.open('s1').begin(typed)
    const proof = await phoneVerifications.prove('s1', { ...proven, provisional: true })
    expect(await phoneVerifications.redeem('s1', 'signup', undefined)).toBeUndefined()
    await proof?.confirm()
    expect(await phoneVerifications.redeem('s1', 'signup', undefined)).toMatchObject(handedOver)
    // Nor is it brought back by its confirmation.
    await proof?.confirm()
    expect(await phoneVerifications.redeem('s1', 'signup', undefined)).toBeUndefined()
  })
})

describe('a revocation', () => {
  /** As a request of Ana's proves it. */
  async function proveAs(
    { phoneVerifications, grants }: ReturnType<typeof createService>,
    subject: string | undefined,
  ) {
    const revocationId = subject && (await grants.open({ subject, session: 's1' }).readRevocationId())
    await phoneVerifications.open('s1').begin({ ...typed, subject })
    await phoneVerifications.prove('s1', { ...proven, subject, revocationId })
  }

  it('keeps numbers verified later, by a different account, in a different session or anonymously', async () => {
    const revoked = createService()
    await revoked.grants.revokeSubject('ana')
    await proveAs(revoked, 'ana')
    await revoked.grants.revokeSubject('ben')
    await revoked.grants.revoke({ subject: 'ana', session: 's2' })
    expect(await revoked.phoneVerifications.peek('s1', 'signup', 'ana')).toMatchObject(handedOver)
    // It may be forgotten before the proof ends.
    revoked.wait(30 * minute - 1)
    expect(await revoked.phoneVerifications.redeem('s1', 'signup', 'ana')).toMatchObject(handedOver)

    const anonymous = createService()
    await proveAs(anonymous, undefined)
    await anonymous.grants.revokeSubject('ana')
    expect(await anonymous.phoneVerifications.redeem('s1', 'signup', 'ana')).toMatchObject(handedOver)
  })

  it('of an earlier session does not end a verification of the renewed one', async ({
    phoneVerifications,
    grants,
  }) => {
    await grants.revokeSubject('ana')
    await grants.revoke({ subject: 'ana', session: 's1' })
    const revocationId = await grants.open({ subject: 'ana', session: 's1' }).readRevocationId()
    await phoneVerifications.open('s1').begin({ ...typed, subject: 'ana' })
    await phoneVerifications.move('s1', 's2')
    await phoneVerifications.prove('s2', { ...proven, subject: 'ana', revocationId })
    expect(await phoneVerifications.redeem('s2', 'signup', 'ana')).toMatchObject(handedOver)
  })

  it.each([
    ['from which it was renewed twice', ['s2', 's3'], 's1', false],
    // The last three ids are remembered.
    ['from which it was renewed long ago', ['s2', 's3', 's4', 's5', 's6'], 's1', true],
    ['of its neighbour', ['s2'], 's9', true],
  ])('of a session %s', async (_name, ids, revoked, isLeft) => {
    const made = createService()
    const { phoneVerifications, grants } = made
    await proveAs(made, 'ana')
    let session = 's1'
    for (const id of ids) {
      await phoneVerifications.move(session, id)
      session = id
    }
    await grants.revoke({ subject: 'ana', session: revoked })
    expect((await phoneVerifications.peek(session, 'signup', 'ana')) !== undefined).toBe(isLeft)
    expect((await phoneVerifications.redeem(session, 'signup', 'ana')) !== undefined).toBe(isLeft)
  })
})

describe('the session of a sign-in', () => {
  it.each([
    ['ana', 'begun', true],
    ['ana', 'proven', true],
    ['mallory', 'begun', false],
    ['mallory', 'proven', false],
    [undefined, 'begun', true],
    // Session fixation: proven by whoever planted the session.
    [undefined, 'proven', false],
  ])('of ana moves the record that %s has %s: %s', async (subject, stage, moves) => {
    const { phoneVerifications } = createService()
    await phoneVerifications.open('s1').begin({ ...typed, subject })
    if (stage === 'proven') await phoneVerifications.prove('s1', { ...proven, subject })
    await phoneVerifications.move('s1', 's2', { subject: 'ana' })
    expect(await phoneVerifications.find('s1')).toBeUndefined()
    expect((await phoneVerifications.find('s2')) !== undefined).toBe(moves)
  })

  const foreign = Object.assign(new Error('foreign'), { code: 'capacity' })
  it.each([
    ['is lost without a word', new TwoFactorError('capacity'), { subject: 'ana' }, undefined],
    ['is refused with it', foreign, { subject: 'ana' }, 'store_unavailable'],
    // Without a sign-in somebody waits for this very number.
    ['is refused with it', new TwoFactorError('capacity'), undefined, 'capacity'],
  ])('where the store takes no record, %s', async (_name, error, signIn, code) => {
    let isFull = false
    const { phoneVerifications } = createService({
      commands: (well) => ({
        swap: (...asked) =>
          isFull && asked[0].endsWith(hashId('s2')) ? Promise.reject(error) : well.swap(...asked),
      }),
    })
    await phoneVerifications.open('s1').begin({ ...typed, subject: 'ana' })
    isFull = true
    const moved = phoneVerifications.move('s1', 's2', signIn)
    await (code ? expect(moved).rejects.toMatchObject({ code }) : expect(moved).resolves.toBeUndefined())
  })
})
