export type { BoundFields, BoundValue } from './challenge/bound.js'
export type { Channel } from './challenge/code-service.js'
export type {
  ChallengeView,
  Refusal,
  StartOutcome,
  VerifyOutcome,
} from './challenge/commands.js'
export type { TrustedDevice } from './challenge/devices.js'
export type { Grant } from './challenge/grants.js'
export type { Limits } from './challenge/limits.js'
export type { NumberState, Numbers } from './challenge/numbers.js'
export type { SelfTest } from './challenge/self-test.js'
export { type ProblemCode, TwoFactorError } from './errors.js'
export type { TwoFactorEvent } from './events.js'
export type { ChallengesFacade, GrantsFacade, TrustedDevicesFacade } from './express/facades.js'
export type { GuardOptions } from './express/guard-options.js'
export type { Messages, Texts } from './express/messages/texts.js'
export type { Render } from './express/page-renderer.js'
export type { PageView } from './express/pages/page-view.js'
export type { PhoneVerification, ProvenPhone } from './express/phone-verification.js'
export { expressSession, type SessionAdapter, tokenSession } from './express/session.js'
export type { PurposeOptions, TwoFactorOptions } from './options.js'
export {
  type CallOptions,
  type ClientOptions,
  createClient,
  judge,
  type ProviderClient,
  ProviderError,
} from './provider/index.js'
export { type MemoryStoreOptions, memoryStore } from './store/memory-store.js'
export type { CounterResult, Entry, Finding, Json, Store, SwapResult } from './store/store.js'
export { type TwoFactor, twoFactor } from './two-factor.js'
