import { sql } from 'drizzle-orm'
import type * as v from 'valibot'
import { stageTimes } from '../../../data/stage-times.ts'
import type { LinkedContact, LinkedUser, OpportunityRecord, Placement } from '../schemas/opportunities.ts'

/** The parts of an opportunity's record beyond its own columns; each is a value of the query that returns the record. */

export const weightedValue = sql<number>`round(opportunities.value * opportunities.probability / 100, 2)`
  .mapWith(Number)
  .as('weighted_value')

const inStage = stageTimes(sql.raw('opportunities'))

/** The computed fields of an opportunity in a list. */
export const computedFields = {
  weighted_value: weightedValue,
  days_in_stage: inStage.days_in_stage.as('days_in_stage'),
  is_rotting: inStage.is_rotting.as('is_rotting'),
}

type Record_ = v.InferOutput<typeof OpportunityRecord>

export const recordParts = {
  company: sql<{
    id: string
    name: string
  } | null>`(select json_build_object('id', k.id, 'name', k.name) from companies k
    where k.workspace_id = opportunities.workspace_id and k.id = opportunities.customer_id)`.as('company'),
  placements: sql<v.InferOutput<typeof Placement>[]>`placements_of(opportunities.stage_id, opportunities.stage_entered_at)`.as(
    'placements',
  ),
  products: sql<Record_['products']>`line_items_of(opportunities.id)`.as('products'),
  products_total: sql<number>`(select coalesce(sum(i.total), 0.00) from opportunity_products i
    where i.workspace_id = opportunities.workspace_id and i.opportunity_id = opportunities.id)`
    .mapWith(Number)
    .as('products_total'),
  contacts: sql<v.InferOutput<typeof LinkedContact>[]>`contacts_of(opportunities.id)`.as('contacts'),
  users: sql<v.InferOutput<typeof LinkedUser>[]>`users_of(opportunities.id)`.as('users'),
}
