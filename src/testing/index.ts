export { type StoreContractOptions, storeContract } from '../store/store-contract.js'
