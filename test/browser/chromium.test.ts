import { describeInEngine } from './engines/describe-in-engine.js'
import { itLeads } from './journeys.js'

describeInEngine('Chromium', itLeads)
