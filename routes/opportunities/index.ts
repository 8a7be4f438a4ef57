import { Hono } from 'hono'
import { opportunityFiles } from '../../src/features/attachments/plans/attachments.ts'
import { Attachment } from '../../src/features/files/schemas/attachments.ts'
import { opportunityFollowers } from '../../src/features/followers/plans/followers.ts'
import { OpportunityFollower } from '../../src/features/followers/schemas/followers.ts'
import { type App, endpoints } from '../../src/http/router.ts'
import { registerAttachments } from '../files/attachments.ts'
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
