import * as v from 'valibot'
import { scopes } from '../../src/http/modes.ts'
import type { Api } from '../../src/http/router.ts'
import { Id } from '../../src/schemas/fields.ts'
import { TagIn } from '../../src/schemas/opportunities.ts'
import { Margin, NextAction, NextActionIn, Tag, TagName } from '../../src/schemas/opportunity-details.ts'
import { clearNextAction, getNextAction, setNextAction } from '../../src/services/opportunities/next-action.ts'
import { marginOf } from '../../src/services/opportunities/product-costs.ts'
import { addTag, listTags, removeTag } from '../../src/services/opportunities/tags.ts'

const params = v.object({ opportunity_id: Id })
const ofTag = v.object({ opportunity_id: Id, tag_name: TagName })

/** Details of an opportunity that are not collections: its tags, its next action and its margin. */
export function registerDetails(api: Api): void {
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
        'Without a colour, the tag gets the colour of its name in the workspace’s tag palette. Adding an existing tag again updates its colour, if one is sent; names are compared without regard to case. An opportunity has at most 50 tags.',
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
      description: 'Replaces the whole next action: fields that are left out are cleared. Bookings are not affected.',
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
    '/:opportunity_id/margin',
    {
      id: 'getOpportunityMargin',
      summary: "Get an opportunity's margin",
      description: 'Returns the margin of each line item and the total. Only supplier costs are counted, not the unit cost of products.',
      access: scopes('opportunities:read'),
      params,
      returns: Margin,
      errors: ['NOT_FOUND'],
    },
    ({ params }) => marginOf(params.opportunity_id),
  )
}
