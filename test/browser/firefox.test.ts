import { itKeepsAnAccount } from './account-journeys.js'
import { itGivesAxeNothing } from './axe-journeys.js'
import { describeInEngine } from './engines/describe-in-engine.js'
import { itWorksInAFrame } from './frame-journeys.js'
import { itLeads } from './journeys.js'
import { itContinuesElsewhere } from './other-site-journeys.js'
import { itOffersPasskeys } from './passkey-journeys.js'
import { itShowsTheStage } from './stage-journeys.js'

describeInEngine('Firefox', (visitor) => {
  itLeads(visitor)
  itContinuesElsewhere(visitor)
  itWorksInAFrame(visitor)
  itOffersPasskeys(visitor)
  itShowsTheStage(visitor)
  itKeepsAnAccount(visitor)
  itGivesAxeNothing(visitor)
})
