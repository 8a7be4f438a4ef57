import * as v from 'valibot'
import { created, listOf, scopes } from '../src/http/modes.ts'
import { Deleted } from '../src/schemas/common.ts'
import { about, Id, Ids, pageQuery } from '../src/schemas/fields.ts'
import { TagIn } from '../src/schemas/opportunities.ts'
import {
  Bucket,
  BucketPatch,
  Margin,
  NewBucket,
  NewProductCost,
  NextAction,
  NextActionIn,
  ProductCost,
  ProductCostPatch,
  Tag,
  TagName,
} from '../src/schemas/opportunity-details.ts'
import { createBucket, deleteBucket, getBucket, listBuckets, reorderBuckets, updateBucket } from '../src/services/opportunities/buckets.ts'
import { clearNextAction, getNextAction, setNextAction } from '../src/services/opportunities/next-action.ts'
import {
  addProductCost,
  getProductCost,
  listProductCosts,
  marginOf,
  removeProductCost,
  updateProductCost,
} from '../src/services/opportunities/product-costs.ts'
import { addTag, listTags, removeTag } from '../src/services/opportunities/tags.ts'
import { opportunitiesApi as api } from './opportunities.ts'

/** What stands on one opportunity: tags, the next action, buckets of line items, supplier costs and the margin. */

const params = v.object({ opportunity_id: Id })
const ofTag = v.object({ opportunity_id: Id, tag_name: TagName })
const ofBucket = v.object({ opportunity_id: Id, bucket_id: Id })
const ofCost = v.object({ opportunity_id: Id, cost_id: Id })

api.get(
  '/:opportunity_id/tags',
  {
    id: 'listOpportunityTags',
    summary: "List an opportunity's tags",
    access: scopes('opportunities:read'),
    params,
    returns: v.array(Tag),
    errors: ['NOT_FOUND'],
  },
  ({ params }) => listTags(params.opportunity_id),
)
api.post(
  '/:opportunity_id/tags',
  {
    id: 'addOpportunityTag',
    summary: 'Add a tag to an opportunity',
    description:
      'Without a colour it gets the one that the workspace’s tag palette has for its name. Adding a tag again, in whatever case, changes its colour where one is sent. At most 50.',
    access: scopes('opportunities:write'),
    params,
    body: TagIn,
    returns: Tag,
    errors: ['NOT_FOUND', 'PRECONDITION_FAILED'],
  },
  ({ ctx, params, body }) => addTag(ctx, params.opportunity_id, body),
)
api.delete(
  '/:opportunity_id/tags/:tag_name',
  {
    id: 'removeOpportunityTag',
    summary: 'Remove a tag from an opportunity',
    access: scopes('opportunities:delete'),
    params: ofTag,
    returns: v.object({ opportunity_id: Id, name: v.string(), deleted: v.literal(true) }),
    errors: ['NOT_FOUND'],
  },
  ({ ctx, params }) => removeTag(ctx, params.opportunity_id, params.tag_name),
)

api.get(
  '/:opportunity_id/next-action',
  {
    id: 'getOpportunityNextAction',
    summary: "Get an opportunity's next action",
    access: scopes('opportunities:read'),
    params,
    returns: NextAction,
    errors: ['NOT_FOUND'],
  },
  ({ params }) => getNextAction(params.opportunity_id),
)
api.put(
  '/:opportunity_id/next-action',
  {
    id: 'setOpportunityNextAction',
    summary: "Set an opportunity's next action",
    description: 'The whole of it: what is left out is cleared. Bookings have no part in it.',
    access: scopes('opportunities:write'),
    params,
    body: NextActionIn,
    returns: NextAction,
    errors: ['NOT_FOUND'],
  },
  ({ ctx, params, body }) => setNextAction(ctx, params.opportunity_id, body),
)
api.delete(
  '/:opportunity_id/next-action',
  {
    id: 'clearOpportunityNextAction',
    summary: "Clear an opportunity's next action",
    access: scopes('opportunities:delete'),
    params,
    returns: NextAction,
    errors: ['NOT_FOUND'],
  },
  ({ ctx, params }) => clearNextAction(ctx, params.opportunity_id),
)

api.get(
  '/:opportunity_id/buckets',
  {
    id: 'listOpportunityBuckets',
    summary: "List an opportunity's product buckets, in display order",
    description: 'Each with the number and the sums of its line items.',
    access: scopes('opportunities:read'),
    params,
    query: v.strictObject(pageQuery),
    returns: listOf(Bucket),
    errors: ['NOT_FOUND'],
  },
  ({ params, query }) => listBuckets(params.opportunity_id, query),
)
api.post(
  '/:opportunity_id/buckets',
  {
    id: 'createOpportunityBucket',
    summary: 'Create a product bucket on an opportunity',
    description: 'A line item comes into it by its bucket_id. At most 100.',
    access: scopes('opportunities:write'),
    params,
    body: NewBucket,
    returns: created(Bucket),
    errors: ['NOT_FOUND', 'CONFLICT'],
  },
  ({ ctx, params, body }) => createBucket(ctx, params.opportunity_id, body),
)
api.post(
  '/:opportunity_id/buckets/reorder',
  {
    id: 'reorderOpportunityBuckets',
    summary: "Reorder an opportunity's product buckets",
    access: scopes('opportunities:write'),
    params,
    body: v.strictObject({ ids: Ids(100) }),
    returns: listOf(Bucket),
    errors: ['NOT_FOUND'],
  },
  ({ ctx, params, body }) => reorderBuckets(ctx, params.opportunity_id, body.ids),
)
api.get(
  '/:opportunity_id/buckets/:bucket_id',
  {
    id: 'getOpportunityBucket',
    summary: "Get an opportunity's product bucket",
    access: scopes('opportunities:read'),
    params: ofBucket,
    returns: Bucket,
    errors: ['NOT_FOUND'],
  },
  ({ params }) => getBucket(params.opportunity_id, params.bucket_id),
)
api.patch(
  '/:opportunity_id/buckets/:bucket_id',
  {
    id: 'updateOpportunityBucket',
    summary: "Rename an opportunity's product bucket",
    access: scopes('opportunities:write'),
    params: ofBucket,
    body: BucketPatch,
    returns: Bucket,
    errors: ['NOT_FOUND', 'CONFLICT'],
  },
  ({ ctx, params, body }) => updateBucket(ctx, params.opportunity_id, params.bucket_id, body),
)
api.delete(
  '/:opportunity_id/buckets/:bucket_id',
  {
    id: 'deleteOpportunityBucket',
    summary: "Delete an opportunity's product bucket",
    description: 'Its line items remain, ungrouped, at their prices.',
    access: scopes('opportunities:delete'),
    params: ofBucket,
    returns: Deleted,
    errors: ['NOT_FOUND'],
  },
  ({ ctx, params }) => deleteBucket(ctx, params.opportunity_id, params.bucket_id),
)

api.get(
  '/:opportunity_id/product-costs',
  {
    id: 'listOpportunityProductCosts',
    summary: "List an opportunity's supplier costs",
    description: 'Each with its line item’s margin; /margin has the sum.',
    access: scopes('opportunities:read'),
    params,
    query: v.strictObject({ ...pageQuery, line_item_id: v.optional(about(Id, 'Of this line item.')) }),
    returns: listOf(ProductCost),
    errors: ['NOT_FOUND'],
  },
  ({ params, query }) => listProductCosts(params.opportunity_id, query),
)
api.post(
  '/:opportunity_id/product-costs',
  {
    id: 'createOpportunityProductCost',
    summary: "Add a supplier cost to an opportunity's line item",
    access: scopes('opportunities:write'),
    params,
    body: NewProductCost,
    returns: created(ProductCost),
    errors: ['NOT_FOUND'],
  },
  ({ ctx, params, body }) => addProductCost(ctx, params.opportunity_id, body),
)
api.get(
  '/:opportunity_id/product-costs/:cost_id',
  {
    id: 'getOpportunityProductCost',
    summary: "Get an opportunity's supplier cost",
    access: scopes('opportunities:read'),
    params: ofCost,
    returns: ProductCost,
    errors: ['NOT_FOUND'],
  },
  ({ params }) => getProductCost(params.opportunity_id, params.cost_id),
)
api.patch(
  '/:opportunity_id/product-costs/:cost_id',
  {
    id: 'updateOpportunityProductCost',
    summary: "Update an opportunity's supplier cost",
    access: scopes('opportunities:write'),
    params: ofCost,
    body: ProductCostPatch,
    returns: ProductCost,
    errors: ['NOT_FOUND'],
  },
  ({ ctx, params, body }) => updateProductCost(ctx, params.opportunity_id, params.cost_id, body),
)
api.delete(
  '/:opportunity_id/product-costs/:cost_id',
  {
    id: 'deleteOpportunityProductCost',
    summary: "Delete an opportunity's supplier cost",
    access: scopes('opportunities:delete'),
    params: ofCost,
    returns: Deleted,
    errors: ['NOT_FOUND'],
  },
  ({ ctx, params }) => removeProductCost(ctx, params.opportunity_id, params.cost_id),
)
api.get(
  '/:opportunity_id/margin',
  {
    id: 'getOpportunityMargin',
    summary: "Get an opportunity's margin",
    description: 'By line item and in sum. Only supplier costs count; a product’s own cost does not.',
    access: scopes('opportunities:read'),
    params,
    returns: Margin,
    errors: ['NOT_FOUND'],
  },
  ({ params }) => marginOf(params.opportunity_id),
)
