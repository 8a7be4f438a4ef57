import { Hono } from 'hono'
import { type App, endpoints } from '../../src/http/router.ts'
import { Attachment } from '../../src/schemas/attachments.ts'
import { OpportunityFollower } from '../../src/schemas/followers.ts'
import { opportunityFiles } from '../../src/services/attachments/attachments.ts'
import { opportunityFollowers } from '../../src/services/followers/followers.ts'
import { registerAttachments } from '../attachments.ts'
import { registerFollowers } from '../followers.ts'
import { OPPORTUNITY } from '../parents.ts'
import { CRM } from '../paths.ts'
import { registerTimeline } from '../timeline.ts'
import { registerBilling } from './billing.ts'
import { registerCopies } from './copies.ts'
import { registerDetails } from './details.ts'
import { registerMoves } from './moves.ts'
import { registerParts } from './parts.ts'
import { registerOpportunities } from './records.ts'
import { registerStageHistory } from './stage-history.ts'

export const opportunitiesRouter = new Hono<App>()
export const dealsRouter = new Hono<App>()
export const opportunitiesApi = endpoints(opportunitiesRouter, {
  path: CRM.opportunities,
  tag: 'Opportunities',
  legacy: { router: dealsRouter, path: CRM.deals, tag: 'Deals (legacy)' },
})

/** The parts of /opportunities. Tasks and activities register their own lists below an opportunity. */
const PARTS = [registerOpportunities, registerMoves, registerCopies, registerParts, registerDetails, registerBilling]
for (const register of PARTS) register(opportunitiesApi)
registerAttachments(opportunitiesApi, OPPORTUNITY, Attachment, opportunityFiles)
registerFollowers(opportunitiesApi, OPPORTUNITY, OpportunityFollower, opportunityFollowers)
registerStageHistory(opportunitiesApi)
registerTimeline(opportunitiesApi, OPPORTUNITY, 'opportunity')
