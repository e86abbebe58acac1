import { describeInEngine } from './engines/describe-in-engine.js'
import { itLeads } from './journeys.js'

describeInEngine('WebKit', itLeads)
