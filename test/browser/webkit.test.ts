import { itKeepsAnAccount } from './account-journeys.js'
import { describeInEngine } from './engines/describe-in-engine.js'
import { itLeads } from './journeys.js'

describeInEngine('WebKit', itLeads)
describeInEngine('WebKit', itKeepsAnAccount)
