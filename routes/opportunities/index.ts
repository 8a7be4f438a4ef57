import { Hono } from 'hono'
import { type App, endpoints } from '../../src/http/router.ts'
import { CRM } from '../paths.ts'
import { registerAttachments } from './attachments.ts'
import { registerBilling } from './billing.ts'
import { registerDetails } from './details.ts'
import { registerMoves } from './moves.ts'
import { registerParts } from './parts.ts'
import { registerOpportunities } from './records.ts'
import { registerTimeline } from './timeline.ts'

export const opportunitiesRouter = new Hono<App>()
export const dealsRouter = new Hono<App>()
export const opportunitiesApi = endpoints(opportunitiesRouter, {
  path: CRM.opportunities,
  tag: 'Opportunities',
  legacy: { router: dealsRouter, path: CRM.deals, tag: 'Deals (legacy)' },
})

/** The parts of /opportunities. Tasks and activities register their own lists below an opportunity. */
const PARTS = [registerOpportunities, registerMoves, registerParts, registerDetails, registerBilling, registerAttachments, registerTimeline]
for (const register of PARTS) register(opportunitiesApi)
