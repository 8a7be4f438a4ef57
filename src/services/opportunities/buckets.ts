import { and, eq, sql } from 'drizzle-orm'
import type * as v from 'valibot'
import { opportunities, opportunityBuckets } from '../../../schema/index.ts'
import type { Ctx } from '../../context.ts'
import { db, type Statement } from '../../data/db.ts'
import { type PageQuery, page } from '../../data/page.ts'
import { plan } from '../../data/plan.ts'
import { nextPosition, type Ordered, reorder, shiftPositions } from '../../data/position.ts'
import { assertField, constant, oneOrThrow } from '../../data/query.ts'
import { assertExists, columnsFor, lockForUpdate } from '../../data/store.ts'
import { newId } from '../../lib/ids.ts'
import { Bucket, type BucketPatch, type NewBucket } from '../../schemas/opportunity-details.ts'

/** The most buckets that one call can reorder. */
const MAX_BUCKETS = 100

const line_items = sql<{
  count: number
  subtotal: number
  total: number
}>`(select json_build_object('count', count(*), 'subtotal', coalesce(sum(i.subtotal), 0.00), 'total', coalesce(sum(i.total), 0.00)) from opportunity_products i
  where i.workspace_id = opportunity_buckets.workspace_id and i.bucket_id = opportunity_buckets.id)`.as('line_items')
const fields = columnsFor(opportunityBuckets, Bucket, { line_items })

const ofPair = (opportunityId: string, id: string) =>
  and(eq(opportunityBuckets.id, id), eq(opportunityBuckets.opportunity_id, opportunityId))
const bucket = (opportunityId: string, id: string) =>
  oneOrThrow(db.select(fields).from(opportunityBuckets).where(ofPair(opportunityId, id)), 'bucket on this opportunity')

/** Serialises changes to an opportunity's buckets, so that their positions stay consistent. */
const lockOpportunity = (ctx: Ctx, id: string) => lockForUpdate({ ...ctx, ifMatch: undefined }, opportunities, id, 'opportunity')
const lockBucket = (ctx: Ctx, opportunityId: string, id: string): Statement =>
  sql`select assert_version((select version from opportunity_buckets where id = ${id} and opportunity_id = ${opportunityId} for update), ${ctx.ifMatch ?? null}::int, 'bucket on this opportunity')`

const inOrder = (opportunityId: string, query: PageQuery) =>
  page({
    select: (keys) => db.select({ ...fields, ...keys }).from(opportunityBuckets),
    id: opportunityBuckets.id,
    where: [eq(opportunityBuckets.opportunity_id, opportunityId)],
    sorts: { position: opportunityBuckets.position },
    name: `buckets ${opportunityId}`,
    query: { ...query, sort: 'position' },
  })

export const listBuckets = (opportunityId: string, query: PageQuery) =>
  plan([assertExists(opportunities, opportunityId, 'opportunity')], inOrder(opportunityId, query))

export const getBucket = (opportunityId: string, id: string) => plan([], bucket(opportunityId, id))

const bucketsOf = (opportunityId: string): Ordered => ({
  table: opportunityBuckets,
  parent: opportunityBuckets.opportunity_id,
  parentId: opportunityId,
})

export function createBucket(ctx: Ctx, opportunityId: string, { name, position }: v.InferOutput<typeof NewBucket>) {
  const id = newId()
  const order = bucketsOf(opportunityId)
  const belowMaximum = sql`(select count(*) < ${MAX_BUCKETS} from opportunity_buckets where opportunity_id = ${opportunityId})`
  const values = { id, opportunity_id: opportunityId, name, position: nextPosition(order, position) as never }
  return plan(
    [
      lockOpportunity(ctx, opportunityId),
      assertField(belowMaximum, 'name', `An opportunity has at most ${MAX_BUCKETS} buckets`),
      position !== undefined && shiftPositions(order, position),
      db.insert(opportunityBuckets).values(values),
    ],
    bucket(opportunityId, id),
  )
}

export function updateBucket(ctx: Ctx, opportunityId: string, id: string, patch: v.InferOutput<typeof BucketPatch>) {
  return plan(
    [
      lockBucket(ctx, opportunityId, id),
      patch.name !== undefined && db.update(opportunityBuckets).set(patch).where(ofPair(opportunityId, id)),
    ],
    bucket(opportunityId, id),
  )
}

/** Deletes a bucket. Its line items remain without a bucket: the foreign key sets their bucket_id to null. */
export function deleteBucket(ctx: Ctx, opportunityId: string, id: string) {
  return plan(
    [
      lockOpportunity(ctx, opportunityId),
      lockBucket(ctx, opportunityId, id),
      db.delete(opportunityBuckets).where(ofPair(opportunityId, id)),
    ],
    constant({ id, deleted: true as const }),
  )
}

/** Replaces the whole order. The request must name every bucket of the opportunity exactly once. */
export function reorderBuckets(ctx: Ctx, opportunityId: string, ids: string[]) {
  return plan(
    [
      lockOpportunity(ctx, opportunityId),
      ...reorder(bucketsOf(opportunityId), ids, 'ids', 'Send every bucket of this opportunity exactly once'),
    ],
    inOrder(opportunityId, { limit: MAX_BUCKETS }),
  )
}
