// The sandbox in a thread of its own, so that whoever counts does not count what it does.
import { parentPort } from 'node:worker_threads'
import { startSandbox } from '../../build/modules/sandbox/index.js'

const { baseUrl, credentials, approvedStatuses, inboxUrl } = await startSandbox()
parentPort.postMessage({ baseUrl, credentials, approvedStatuses, inboxUrl })
