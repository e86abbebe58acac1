export {
  type CallOptions,
  createClient,
  type ParamsOf,
  type ProviderClient,
  type ResultOf,
} from './client.js'
export type { ClientOptions } from './client-options.js'
export type {
  AudioCallParams,
  BalanceParams,
  BlockPhoneParams,
  MessageStateParams,
  SendCallCodeParams,
  SendCallParams,
  SendSmsCodeParams,
  SendSmsParams,
  ShortenUrlParams,
  SpokenCallParams,
  StatisticsCategory,
  UrlStatisticsParams,
  VerifyCodeParams,
  Voice,
} from './client-params.js'
export type {
  BalanceResult,
  BlockPhoneResult,
  CityClicks,
  ClickShare,
  Clicks,
  HourClicks,
  MessageState,
  MessageStateResult,
  SendCallCodeResult,
  SendCallResult,
  SendSmsCodeResult,
  SendSmsResult,
  SentCall,
  SentCodeCall,
  SentSms,
  ShortenUrlResult,
  UrlMetrics,
  UrlStatisticsResult,
  VerifyCodeResult,
} from './client-results.js'
export { type ProviderCodesOptions, providerCodes } from './code-adapter.js'
export type { CodeMessage } from './code-message.js'
export { type FailoverOptions, failover } from './failover.js'
export type { Delivery, FailureReason } from './failure.js'
export type { OperationName } from './operations.js'
export { type CodeSender, type OwnCodesOptions, ownCodes } from './own-codes.js'
export { ProviderError } from './provider-error.js'
export { judge, type VerdictRules, type VerifyAnswer } from './verdict.js'
export type { NumberFormat } from './wire.js'
