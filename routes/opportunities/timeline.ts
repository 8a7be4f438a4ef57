import * as v from 'valibot'
import { listBelow } from '../../src/http/children.ts'
import type { Api } from '../../src/http/router.ts'
import { pageQuery } from '../../src/schemas/fields.ts'
import { StageMove } from '../../src/schemas/opportunities.ts'
import { TimelineEntry, timelineQuery } from '../../src/schemas/timeline.ts'
import { listStageMoves } from '../../src/services/opportunities/opportunity-moves.ts'
import { timelineOf } from '../../src/services/opportunities/timeline.ts'
import { OPPORTUNITY } from '../parents.ts'

/** The timeline and stage history of an opportunity. */
export function registerTimeline(api: Api): void {
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
  listBelow(api, {
    parent: OPPORTUNITY,
    path: '/timeline',
    name: 'timeline',
    id: 'listOpportunityTimeline',
    summary: "List an opportunity's timeline entries, newest first",
    description:
      'Lists changes of the opportunity and its parts, stage moves, activities, tasks and attachments. Activities also need `activities:read`, tasks `tasks:read`, and changes of billing parties `invoices:read`; without the scope, these entries are left out.',
    query: v.strictObject({ ...pageQuery, ...timelineQuery }),
    returns: TimelineEntry,
    list: timelineOf,
  })
}
