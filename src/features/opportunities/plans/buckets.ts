import { sql } from 'drizzle-orm'
import { opportunityBuckets } from '../../../../schema/index.ts'
import { childrenOf } from '../../../data/children.ts'
import { db } from '../../../data/db.ts'
import { columnsFor } from '../../../data/store.ts'
import { createBelow } from '../../records/plans/below.ts'
import { Bucket, BucketDraft } from '../schemas/opportunity-details.ts'
import { OPPORTUNITY } from './parent.ts'

/** The most buckets that one call can reorder. */
const MAX_BUCKETS = 100

const line_items = sql<{
  count: number
  subtotal: number
  total: number
}>`(select json_build_object('count', count(*), 'subtotal', coalesce(sum(i.subtotal), 0.00), 'total', coalesce(sum(i.total), 0.00))
  from opportunity_products i
  where i.workspace_id = opportunity_buckets.workspace_id and i.bucket_id = opportunity_buckets.id)`.as('line_items')
const fields = columnsFor(opportunityBuckets, Bucket, { line_items })

const TOO_MANY = `An opportunity has at most ${MAX_BUCKETS} buckets`

/** The buckets of an opportunity. The line items of a deleted one remain without a bucket: the foreign key sets their bucket_id to null. */
export const buckets = childrenOf({
  parent: OPPORTUNITY,
  what: 'bucket on this opportunity',
  table: opportunityBuckets,
  link: opportunityBuckets.opportunity_id,
  select: (keys) => db.select({ ...fields, ...keys }).from(opportunityBuckets),
  sort: 'position',
  max: { rows: MAX_BUCKETS, field: 'name', message: TOO_MANY },
  lockParent: true,
})

export const createBuckets = createBelow({
  parent: OPPORTUNITY,
  what: 'bucket on this opportunity',
  entity: 'opportunity_bucket',
  table: opportunityBuckets,
  link: opportunityBuckets.opportunity_id,
  fields,
  body: BucketDraft,
  rules: [],
  ordered: true,
  max: { rows: MAX_BUCKETS, message: TOO_MANY },
})
