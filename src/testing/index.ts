export {
  type CodeProviderContractOptions,
  codeProviderContract,
  type ServiceFault,
} from './code-provider-contract.js'
export { type GuardCoverage, guardCoverage } from './guard-coverage.js'
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
