export { type EventUrgency, eventUrgency } from './alarms.js'
export type {
  ChallengeView,
  Refusal,
  SendDecision,
  StartOutcome,
  Suspicion,
  VerifyOutcome,
} from './challenge/commands.js'
export type {
  Channel,
  CodeCheck,
  CodeProvider,
  CodeSend,
  CompositeProvider,
  Details,
  ExchangeReport,
  InspectedApp,
  Method,
  SendResult,
  Verdict,
} from './challenge/exchange/code-provider.js'
export type { ExchangeTrace } from './challenge/exchange/exchanges.js'
export type { Limits } from './challenge/limits.js'
export type { Failure, Health } from './challenge/operator/health.js'
export type { OfNumber, SubjectState } from './challenge/operator/lockouts.js'
export type { SelfTest } from './challenge/operator/self-test.js'
export type { TrustedDevice } from './challenge/proofs/devices.js'
export type { Grant } from './challenge/proofs/grants.js'
export type { ProvenPhone } from './challenge/proofs/phone-verifications.js'
export type { BoundFields, BoundValue } from './challenge/proofs/stored-grant.js'
export type { SignupGuardOptions } from './challenge/rate-limits/signup-guard.js'
export type { DestinationView, NumberOnFile } from './challenge/reach/destinations.js'
export type { SignatureFactor, SignatureResult, Signer } from './challenge/reach/signer.js'
export type { RecoveryCodeStore, RecoveryCodes } from './challenge/recovery.js'
export { type ProblemCode, TwoFactorError } from './errors.js'
export type { TwoFactorEvent } from './events.js'
export type {
  AuthenticatorRoutesOptions,
  Authenticators,
  NewAuthenticator,
} from './express/flows/authenticators.js'
export type { OwnAct, OwnRoute, RouteContext, RouteResult } from './express/flows/own-route.js'
export type {
  PhoneVerification,
  PhoneVerificationOptions,
} from './express/flows/phone-verification.js'
export type { GuardOptions } from './express/guard/guard-options.js'
export type { ChallengesFacade } from './express/host/challenges-facade.js'
export type {
  GrantsFacade,
  RecoveryCodesFacade,
  TrustedDevicesFacade,
} from './express/host/facades.js'
export type { SignupsFacade, SubjectsFacade } from './express/host/operator.js'
export { expressSession, type SessionAdapter, tokenSession } from './express/host/session.js'
export type { RoutesOptions, StartOptions } from './express/http/routes.js'
export type { BrandOptions } from './express/pages/brand.js'
export type { LinkOptions } from './express/pages/links.js'
export { englishTexts, type Messages, type Texts } from './express/pages/messages/en.js'
export type { OwnPage, PageView } from './express/pages/page-view.js'
export type { PageTools, Render } from './express/pages/pages.js'
export type { PurposeOptions, TwoFactorOptions } from './options.js'
export { type PhoneParse, parseNumberOnFile } from './phone-number.js'
export {
  type CallOptions,
  type ClientOptions,
  type CodeMessage,
  type CodeSender,
  createClient,
  type FailoverOptions,
  failover,
  judge,
  type OwnCodesOptions,
  ownCodes,
  type ProviderClient,
  type ProviderCodesOptions,
  ProviderError,
  providerCodes,
} from './provider/index.js'
export { type MemoryStoreOptions, memoryStore } from './store/memory-store.js'
export type { CounterResult, Entry, Finding, Json, Store, SwapResult } from './store/store.js'
export { type TwoFactor, twoFactor } from './two-factor.js'
