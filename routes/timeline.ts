import * as v from 'valibot'
import type { RecordEntity } from '../src/domain/records.ts'
import { timelineOf } from '../src/features/timeline/plans/timeline.ts'
import { TimelineEntry, timelineQuery } from '../src/features/timeline/schemas/timeline.ts'
import { listBelow, type ParentRecord } from '../src/http/children.ts'
import type { Api } from '../src/http/router.ts'
import { pascal, withArticle } from '../src/lib/nouns.ts'
import { pageQuery } from '../src/schemas/fields.ts'

const OF_PEOPLE =
  'Activities also need `activities:read`, tasks `tasks:read`, and stage moves `opportunities:read`; changes of parts need the scope ' +
  'of their kind. Without the scope, these entries are left out. A stage move appears if the opportunity belonged ' +
  'to the record at that time.'
const DESCRIPTIONS: Record<RecordEntity, string> = {
  contact:
    'Lists changes of the contact, its companies, opportunities and stakeholder types, stage moves of its opportunities, activities, ' +
    `tasks and attachments. ${OF_PEOPLE}`,
  company: `Lists changes of the company and its contacts, stage moves of its opportunities, activities, tasks and attachments. \
${OF_PEOPLE}`,
  opportunity:
    'Lists changes of the opportunity and its parts, stage moves, activities, tasks and attachments. ' +
    'Activities also need `activities:read`, tasks `tasks:read`, and changes of billing parties `invoices:read`; without the scope, ' +
    'these entries are left out.',
}

/** Registers the timeline of a kind of record. */
export function registerTimeline(api: Api, parent: ParentRecord, entity: RecordEntity): void {
  listBelow(api, {
    parent,
    path: '/timeline',
    name: 'timeline',
    id: `list${pascal(entity)}Timeline`,
    summary: `List ${withArticle(entity)}'s timeline entries, newest first`,
    description: DESCRIPTIONS[entity],
    query: v.strictObject({ ...pageQuery, ...timelineQuery }),
    returns: TimelineEntry,
    list: (id, query) => timelineOf(entity, id, query),
  })
}
