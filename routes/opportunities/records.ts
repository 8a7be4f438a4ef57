import { opportunities } from '../../schema/index.ts'
import { RELATIONS } from '../../src/features/lists/plans/relations.ts'
import { mergeableOpportunities } from '../../src/features/merges/plans/mergeable.ts'
import {
  createOpportunities,
  createOpportunity,
  deleteOpportunities,
  getOpportunity,
  updateOpportunities,
  updateOpportunity,
} from '../../src/features/opportunities/plans/opportunities.ts'
import { listOpportunities, opportunityFilters } from '../../src/features/opportunities/plans/opportunity-lists.ts'
import { computedFields } from '../../src/features/opportunities/plans/opportunity-parts.ts'
import {
  NewOpportunity,
  Opportunity,
  OpportunityPatch,
  OpportunityPatchWithId,
  OpportunityRecord,
} from '../../src/features/opportunities/schemas/opportunities.ts'
import { listByTime } from '../../src/features/search/plans/list-by-time.ts'
import { bulk } from '../../src/http/bulk.ts'
import { resource } from '../../src/http/resource.ts'
import type { Api } from '../../src/http/router.ts'
import { SORTS } from '../../src/schemas/search.ts'
import { registerRecords } from '../records.ts'

/** The plain endpoints of opportunities, and their bulk calls. */
export function registerOpportunities(api: Api): void {
  registerRecords(api, {
    entity: 'opportunity',
    plural: 'opportunities',
    table: opportunities,
    filters: opportunityFilters,
    looks: 'Opportunities of the same company are compared by name.',
    mergeable: mergeableOpportunities,
    item: Opportunity,
    record: OpportunityRecord,
  })
  resource(api, {
    name: 'opportunity',
    plural: 'opportunities',
    table: opportunities,
    returns: Opportunity,
    record: OpportunityRecord,
    computed: computedFields,
    list: {
      filters: opportunityFilters,
      relations: RELATIONS.opportunities,
      sorts: [...SORTS.opportunities],
      plan: (query) => listOpportunities('opportunities', [], query),
      byTime: (query) => listByTime('opportunities', opportunityFilters, query),
    },
    get: { summary: 'Get an opportunity with its products, contacts, users and placements', plan: getOpportunity },
    create: {
      description:
        'The opportunity starts in stage_id, or in the first stage of pipeline_id, or in the first stage of the default pipeline. ' +
        'Reasons that are not in the workspace’s lists are not saved, and reported in `_warnings`.',
      body: NewOpportunity,
      plan: createOpportunity,
    },
    update: { description: 'To change the stage, use the move endpoint.', body: OpportunityPatch, plan: updateOpportunity },
    restore: {},
    history: true,
  })
  bulk(api, {
    plural: 'opportunities',
    returns: OpportunityRecord,
    create: { body: NewOpportunity, plan: createOpportunities },
    update: { body: OpportunityPatchWithId, plan: updateOpportunities },
    remove: { plan: deleteOpportunities },
  })
}
