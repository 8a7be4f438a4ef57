import { sql } from 'drizzle-orm'
import type * as v from 'valibot'
import { stageTimes } from '../../data/stage-times.ts'
import type { LinkedContact, LinkedUser, OpportunityRecord, Placement } from '../../schemas/opportunities.ts'

/** The parts of an opportunity's record beyond its own columns; each is a subselect of the query that returns the record. */

const ofOpportunity = (alias: string) =>
  sql.raw(`${alias}.workspace_id = opportunities.workspace_id and ${alias}.opportunity_id = opportunities.id`)

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
  } | null>`(select json_build_object('id', k.id, 'name', k.name) from companies k where k.workspace_id = opportunities.workspace_id and k.id = opportunities.customer_id)`.as(
    'company',
  ),
  placements: sql<
    v.InferOutput<typeof Placement>[]
  >`(select coalesce(json_agg(json_build_object('pipeline_id', p.id, 'pipeline_name', p.name, 'stage_id', s.id, 'stage_name', s.name, 'stage_kind', s.kind,
    'entered_at', iso(opportunities.stage_entered_at))), '[]') from stages s join pipelines p on p.workspace_id = s.workspace_id and p.id = s.pipeline_id
    where s.workspace_id = opportunities.workspace_id and s.id = opportunities.stage_id)`.as('placements'),
  products: sql<
    Record_['products']
  >`(select coalesce(json_agg(json_build_object('id', i.id, 'product_id', i.product_id, 'bucket_id', i.bucket_id, 'name', i.name, 'description', i.description, 'quantity', i.quantity,
    'unit_price', i.unit_price, 'discount_percent', i.discount_percent, 'tax_percent', i.tax_percent, 'subtotal', i.subtotal, 'total', i.total, 'position', i.position) order by i.position, i.id), '[]')
    from opportunity_products i where ${ofOpportunity('i')})`.as('products'),
  products_total: sql<number>`(select coalesce(sum(i.total), 0.00) from opportunity_products i where ${ofOpportunity('i')})`
    .mapWith(Number)
    .as('products_total'),
  contacts: sql<
    v.InferOutput<typeof LinkedContact>[]
  >`(select coalesce(json_agg(json_build_object('contact_id', c.id, 'first_name', c.first_name, 'last_name', c.last_name, 'email', c.email, 'phone', c.phone,
    'role', l.role, 'is_primary', l.is_primary) order by l.is_primary desc, l.id), '[]') from opportunity_contacts l join contacts c on c.workspace_id = l.workspace_id and c.id = l.contact_id where ${ofOpportunity('l')})`.as(
    'contacts',
  ),
  users: sql<
    v.InferOutput<typeof LinkedUser>[]
  >`(select coalesce(json_agg(json_build_object('user_id', u.id, 'full_name', u.full_name, 'email', u.email, 'role', l.role) order by l.id), '[]')
    from opportunity_users l join users u on u.id = l.user_id where ${ofOpportunity('l')})`.as('users'),
}
