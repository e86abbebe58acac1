export {
  type CodeProviderContractOptions,
  codeProviderContract,
  type ServiceFault,
} from './code-provider-contract.js'
export { type GuardCoverage, guardCoverage } from './guard-coverage.js'
export type { RehearsalAgent } from './rehearsal/agent.js'
export type {
  Fields,
  Rehearsal,
  RehearsalAction,
  RehearsalOptions,
  RehearsalPerson,
  RehearsalRow,
  RehearsalSignUp,
} from './rehearsal/contract.js'
export { describeRehearsal } from './rehearsal/report.js'
export type { RehearsalRequest, RehearsalResponse } from './rehearsal/wire.js'
export { rehearse } from './rehearse.js'
export {
  type CodeFor,
  type SandboxContext,
  type SandboxFixtureOptions,
  type SandboxFixtures,
  type SandboxTestFixtures,
  type SandboxWorkerFixtures,
  sandboxFixtures,
} from './sandbox-fixtures.js'
export { type StoreContractOptions, storeContract } from './store-contract.js'
