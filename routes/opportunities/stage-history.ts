import * as v from 'valibot'
import { listStageMoves } from '../../src/features/opportunities/plans/opportunity-moves.ts'
import { StageMove } from '../../src/features/opportunities/schemas/opportunities.ts'
import { listBelow } from '../../src/http/children.ts'
import type { Api } from '../../src/http/router.ts'
import { pageQuery } from '../../src/schemas/fields.ts'
import { OPPORTUNITY } from '../parents.ts'

/** The stage history of an opportunity. */
export function registerStageHistory(api: Api): void {
  listBelow(api, {
    parent: OPPORTUNITY,
    path: '/stage-history',
    name: 'stage_history',
    id: 'listOpportunityStageHistory',
    summary: "List an opportunity's stage history",
    query: v.strictObject(pageQuery),
    returns: StageMove,
    list: listStageMoves,
  })
}
