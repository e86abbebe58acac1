export { type EventUrgency, eventUrgency } from './alarms.js'
export type { SignupGuardOptions } from './challenge/budgets/signup-guard.js'
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
} from './challenge/code-provider.js'
export type {
  ChallengeView,
  Refusal,
  SendDecision,
  StartOutcome,
  Suspicion,
  VerifyOutcome,
} from './challenge/commands.js'
export type { DestinationView, NumberOnFile } from './challenge/destinations.js'
export type { ExchangeTrace } from './challenge/exchanges.js'
export type { Failure, Health } from './challenge/health.js'
export type { Limits } from './challenge/limits.js'
export type { SubjectState } from './challenge/lockouts.js'
export type { TrustedDevice } from './challenge/proofs/devices.js'
export type { ProvenPhone } from './challenge/proofs/enrolment.js'
export type { Grant } from './challenge/proofs/grants.js'
export type { BoundFields, BoundValue } from './challenge/proofs/stored-grant.js'
export type { RecoveryCodeStore, RecoveryCodes } from './challenge/recovery.js'
export type { SelfTest } from './challenge/self-test.js'
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
