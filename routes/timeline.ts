import * as v from 'valibot'
import { listOf, scopes } from '../src/http/modes.ts'
import { Id, pageQuery } from '../src/schemas/fields.ts'
import { TimelineEntry, timelineQuery } from '../src/schemas/timeline.ts'
import { timelineOf } from '../src/services/opportunities/timeline.ts'
import { opportunitiesApi as api } from './opportunities.ts'

api.get(
  '/:opportunity_id/timeline',
  {
    id: 'listOpportunityTimeline',
    summary: "List an opportunity's timeline entries, newest first",
    description:
      'Changes of the opportunity and of its parts, stage moves, activities, tasks and attachments. Activities need `activities:read` too, tasks `tasks:read`, and changes of billing `invoices:read`: without them these are left out.',
    access: scopes('opportunities:read'),
    params: v.object({ opportunity_id: Id }),
    query: v.strictObject({ ...pageQuery, ...timelineQuery }),
    returns: listOf(TimelineEntry),
    errors: ['NOT_FOUND'],
  },
  ({ params, query }) => timelineOf(params.opportunity_id, query),
)
