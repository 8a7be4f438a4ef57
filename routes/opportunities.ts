import { Hono } from 'hono'
import * as v from 'valibot'
import { opportunities } from '../schema/index.ts'
import { listQuery } from '../src/http/lists.ts'
import { created, listOf, scopes } from '../src/http/modes.ts'
import { history } from '../src/http/resource.ts'
import { type App, endpoints } from '../src/http/router.ts'
import { BulkIds, bulkOf } from '../src/schemas/bulk.ts'
import { BulkDeleted, bulkResult } from '../src/schemas/common.ts'
import { Id, pageQuery } from '../src/schemas/fields.ts'
import {
  Move,
  MoveCard,
  MoveWithId,
  NewOpportunity,
  Opportunity,
  OpportunityPatch,
  OpportunityPatchWithId,
  OpportunityRecord,
  StageMove,
} from '../src/schemas/opportunities.ts'
import { Purge, Purged } from '../src/schemas/purges.ts'
import { forEachId } from '../src/services/bulk/ids.ts'
import { mergeableOpportunities } from '../src/services/merges/mergeable.ts'
import {
  createOpportunities,
  createOpportunity,
  deleteOpportunities,
  getOpportunity,
  updateOpportunities,
  updateOpportunity,
} from '../src/services/opportunities/opportunities.ts'
import { listOpportunities, opportunityFilters } from '../src/services/opportunities/opportunity-lists.ts'
import { listStageMoves, moveOpportunities, moveOpportunity, removeCard } from '../src/services/opportunities/opportunity-moves.ts'
import { removeOrPurge } from '../src/services/purges/purges.ts'
import { registerDuplicates } from './duplicates.ts'
import { registerExports } from './exports.ts'
import { registerMerges } from './merges.ts'
import { CRM } from './paths.ts'
import { PURGING, registerPurged } from './purged.ts'

export const opportunitiesRouter = new Hono<App>()
export const dealsRouter = new Hono<App>()
export const opportunitiesApi = endpoints(opportunitiesRouter, {
  path: CRM.opportunities,
  tag: 'Opportunities',
  legacy: { router: dealsRouter, path: CRM.deals, tag: 'Deals (legacy)' },
})

registerPurged(opportunitiesApi, 'opportunity', 'opportunities')
registerDuplicates(opportunitiesApi, {
  entity: 'opportunity',
  plural: 'opportunities',
  looks: 'Opportunities are alike by the same or a similar name at the same company.',
})

const params = v.object({ opportunity_id: Id })
const changes = ['NOT_FOUND', 'CONFLICT', 'PRECONDITION_FAILED'] as const

registerExports(opportunitiesApi, 'opportunities', opportunities, opportunityFilters)
registerMerges(opportunitiesApi, mergeableOpportunities, { plural: 'opportunities', winner: OpportunityRecord })

opportunitiesApi.get(
  '',
  {
    id: 'listOpportunities',
    summary: 'List opportunities',
    access: scopes('opportunities:read'),
    query: listQuery(opportunities, opportunityFilters, ['created_at', 'updated_at', 'name', 'value', 'expected_close_date']),
    returns: listOf(Opportunity),
  },
  ({ query }) => listOpportunities('opportunities', [], query),
)
opportunitiesApi.get(
  '/:opportunity_id',
  {
    id: 'getOpportunity',
    summary: 'Get an opportunity with its products, contacts, users and placements',
    access: scopes('opportunities:read'),
    params,
    returns: OpportunityRecord,
    errors: ['NOT_FOUND'],
  },
  ({ params }) => getOpportunity(params.opportunity_id),
)
opportunitiesApi.post(
  '',
  {
    id: 'createOpportunity',
    summary: 'Create an opportunity',
    description:
      'It lands on stage_id, else on the first stage of pipeline_id, else on that of the default pipeline. Reasons that are not on the workspace’s list are not saved: see _warnings.',
    access: scopes('opportunities:write'),
    body: NewOpportunity,
    returns: created(OpportunityRecord),
    errors: ['CONFLICT'],
  },
  ({ ctx, body }) => createOpportunity(ctx, body),
)
opportunitiesApi.patch(
  '/:opportunity_id',
  {
    id: 'updateOpportunity',
    summary: 'Update an opportunity',
    description: 'Its stage changes by move.',
    access: scopes('opportunities:write'),
    params,
    body: OpportunityPatch,
    returns: OpportunityRecord,
    errors: [...changes],
  },
  ({ ctx, params, body }) => updateOpportunity(ctx, params.opportunity_id, body),
)
opportunitiesApi.delete(
  '/:opportunity_id',
  {
    id: 'deleteOpportunity',
    summary: 'Delete an opportunity',
    description: PURGING,
    access: scopes('opportunities:delete'),
    params,
    query: Purge,
    returns: Purged,
    errors: ['NOT_FOUND', 'PRECONDITION_FAILED'],
  },
  ({ ctx, params, query }) => removeOrPurge(ctx, 'opportunity', params.opportunity_id, query),
)

opportunitiesApi.post(
  '/bulk-create',
  {
    id: 'bulkCreateOpportunities',
    summary: 'Create up to 100 opportunities',
    access: scopes('opportunities:write'),
    body: v.strictObject({ records: bulkOf(NewOpportunity) }),
    returns: bulkResult(OpportunityRecord),
  },
  ({ ctx, body }) => createOpportunities(ctx, body.records),
)
opportunitiesApi.post(
  '/bulk-update',
  {
    id: 'bulkUpdateOpportunities',
    summary: 'Update up to 100 opportunities',
    access: scopes('opportunities:write'),
    body: v.strictObject({ records: bulkOf(OpportunityPatchWithId) }),
    returns: bulkResult(OpportunityRecord),
  },
  ({ ctx, body }) => updateOpportunities(ctx, body.records),
)
opportunitiesApi.post(
  '/bulk-move',
  {
    id: 'bulkMoveOpportunities',
    summary: 'Move up to 100 opportunities to stages',
    access: scopes('opportunities:write'),
    body: v.strictObject({ records: bulkOf(MoveWithId) }),
    returns: bulkResult(OpportunityRecord),
  },
  ({ body }) => moveOpportunities(body.records),
)
opportunitiesApi.post(
  '/bulk-delete',
  {
    id: 'bulkDeleteOpportunities',
    summary: 'Delete up to 100 opportunities',
    access: scopes('opportunities:delete'),
    body: v.strictObject({ ids: BulkIds(100) }),
    returns: BulkDeleted,
  },
  ({ body }) => forEachId(body.ids, deleteOpportunities),
)

opportunitiesApi.post(
  '/:opportunity_id/move',
  {
    id: 'moveOpportunity',
    summary: 'Move an opportunity to a stage',
    description:
      'Within or across pipelines. A won or lost stage marks it won or lost and records the reasons; those not on the workspace’s list are not saved: see _warnings.',
    access: scopes('opportunities:write'),
    params,
    body: Move,
    returns: OpportunityRecord,
    errors: ['NOT_FOUND', 'PRECONDITION_FAILED'],
  },
  ({ ctx, params, body }) => moveOpportunity(ctx, params.opportunity_id, body),
)
opportunitiesApi.post(
  '/:opportunity_id/move-card',
  {
    id: 'moveOpportunityCard',
    summary: 'Move an opportunity to a stage (legacy)',
    successor: '/opportunities/:opportunity_id/move',
    access: scopes('opportunities:write'),
    params,
    body: MoveCard,
    returns: OpportunityRecord,
    errors: ['NOT_FOUND', 'PRECONDITION_FAILED'],
  },
  ({ ctx, params, body }) => moveOpportunity(ctx, params.opportunity_id, body),
)
opportunitiesApi.post(
  '/:opportunity_id/remove-card',
  {
    id: 'removeOpportunityCard',
    summary: "Remove an opportunity's card from its pipeline",
    description: 'The opportunity stays, with its status.',
    access: scopes('opportunities:write'),
    params,
    body: v.strictObject({ pipeline_id: Id }),
    returns: OpportunityRecord,
    errors: ['NOT_FOUND', 'INVALID_STATE', 'PRECONDITION_FAILED'],
  },
  ({ ctx, params, body }) => removeCard(ctx, params.opportunity_id, body.pipeline_id),
)
opportunitiesApi.get(
  '/:opportunity_id/stage-history',
  {
    id: 'listOpportunityStageHistory',
    summary: "List an opportunity's stage history",
    access: scopes('opportunities:read'),
    params,
    query: v.strictObject(pageQuery),
    returns: listOf(StageMove),
  },
  ({ params, query }) => listStageMoves(params.opportunity_id, query),
)
history(opportunitiesApi, '/:opportunity_id/history', { entity: 'opportunity', param: 'opportunity_id', scopes: ['opportunities:read'] })
