import { and, eq, sql } from 'drizzle-orm'
import {
  contacts,
  dealStakeholders,
  opportunities,
  stakeholderTypes,
  taskStakeholders,
  tasks,
  workOrderStakeholders,
  workOrders,
} from '../../../../schema/index.ts'
import type { Ctx } from '../../../context.ts'
import { childrenOf } from '../../../data/children.ts'
import { db } from '../../../data/db.ts'
import { type PageQuery, page } from '../../../data/page.ts'
import { plan, read } from '../../../data/plan.ts'
import { assertField, constant, oneOrThrow } from '../../../data/query.ts'
import { restored } from '../../../data/restore.ts'
import { assertExists, lockForUpdate } from '../../../data/store.ts'
import { newId } from '../../../lib/ids.ts'
import type { NewDealStakeholder } from '../schemas/stakeholders.ts'
import { assertAssignable, personFields } from './stakeholder-types.ts'

/** The contacts with whom a task is shared. */
export const sharedWith = childrenOf({
  parent: { table: tasks, name: 'task' },
  what: 'stakeholder of this task',
  table: taskStakeholders,
  link: taskStakeholders.task_id,
  key: taskStakeholders.contact_id,
  unique: taskStakeholders.contact_id,
  select: (keys) =>
    db
      .select({ task_id: taskStakeholders.task_id, ...personFields, created_at: taskStakeholders.created_at, ...keys })
      .from(taskStakeholders)
      .innerJoin(contacts, and(eq(contacts.workspace_id, taskStakeholders.workspace_id), eq(contacts.id, taskStakeholders.contact_id))),
  sort: 'id',
  matchParent: true,
  create: ({ contact_id }: { contact_id: string }) => ({ before: assertAssignable(contact_id) }),
})

/** The contacts with whom a work order is shared. */
export const workSharedWith = childrenOf({
  parent: { table: workOrders, name: 'work order' },
  what: 'stakeholder of this work order',
  table: workOrderStakeholders,
  link: workOrderStakeholders.work_order_id,
  key: workOrderStakeholders.contact_id,
  unique: workOrderStakeholders.contact_id,
  select: (keys) =>
    db
      .select({
        work_order_id: workOrderStakeholders.work_order_id,
        ...personFields,
        created_at: workOrderStakeholders.created_at,
        ...keys,
      })
      .from(workOrderStakeholders)
      .innerJoin(
        contacts,
        and(eq(contacts.workspace_id, workOrderStakeholders.workspace_id), eq(contacts.id, workOrderStakeholders.contact_id)),
      ),
  sort: 'id',
  matchParent: true,
  create: ({ contact_id }: { contact_id: string }) => ({ before: assertAssignable(contact_id) }),
})

const dealFields = {
  id: dealStakeholders.id,
  deal_id: dealStakeholders.deal_id,
  ...personFields,
  bucket_id: dealStakeholders.bucket_id,
  bucket_name: sql<string | null>`${stakeholderTypes.name}`.as('bucket_name'),
  role: dealStakeholders.role,
  created_at: dealStakeholders.created_at,
  version: dealStakeholders.version,
}
const ofDeal = <More extends object>(more: More) =>
  db
    .select({ ...dealFields, ...more })
    .from(dealStakeholders)
    .innerJoin(contacts, and(eq(contacts.workspace_id, dealStakeholders.workspace_id), eq(contacts.id, dealStakeholders.contact_id)))
    .leftJoin(
      stakeholderTypes,
      and(eq(stakeholderTypes.workspace_id, dealStakeholders.workspace_id), eq(stakeholderTypes.id, dealStakeholders.bucket_id)),
    )
const dealStakeholder = (id: string) => oneOrThrow(ofDeal({}).where(eq(dealStakeholders.id, id)), 'stakeholder')

export function listDealStakeholders({ deal_id, ...query }: PageQuery & { deal_id: string }) {
  const result = page({
    select: ofDeal,
    id: dealStakeholders.id,
    where: [eq(dealStakeholders.deal_id, deal_id)],
    sorts: { id: dealStakeholders.id },
    name: `stakeholders of deal ${deal_id}`,
    query: { ...query, sort: 'id' },
  })
  return plan([assertExists(opportunities, deal_id, 'opportunity')], result)
}

export const getDealStakeholder = (id: string) => read(dealStakeholder(id))

/** Adds a stakeholder to an opportunity, at most once per type and once without a type. The contact need not be a member of the type. */
export function addDealStakeholder(input: NewDealStakeholder) {
  const { deal_id, contact_id, bucket_id: bucket = null } = input
  const id = newId()
  const exists = (table: string, one: string) => sql`exists (select from ${sql.identifier(table)} where id = ${one})`
  const present = sql`(select id from deal_stakeholders
    where deal_id = ${deal_id} and contact_id = ${contact_id} and bucket_id is not distinct from ${bucket}::uuid
    order by id limit 1)`
  return plan(
    [
      // The lock on the opportunity prevents concurrent duplicates.
      assertField(
        sql`exists (select from opportunities where id = ${deal_id} for update)`,
        'deal_id',
        'deal_id does not exist in this workspace',
      ),
      assertField(exists('contacts', contact_id), 'contact_id', 'contact_id does not exist in this workspace'),
      bucket !== null && assertField(exists('stakeholder_types', bucket), 'bucket_id', 'bucket_id does not exist in this workspace'),
      sql`select assert_condition(p.id is null, 'CONFLICT',
        'The contact is already a stakeholder of this opportunity, in this stakeholder type',
        jsonb_build_object('field', 'contact_id', 'id', p.id)) from (select ${present} as id) p`,
      db.insert(dealStakeholders).values({ ...input, id }),
    ],
    dealStakeholder(id),
  )
}

export const restoreDealStakeholder = (id: string) => restored({ table: dealStakeholders, what: 'stakeholder' }, id, getDealStakeholder(id))

export function removeDealStakeholder(ctx: Ctx, id: string) {
  return plan(
    [lockForUpdate(ctx, dealStakeholders, id, 'stakeholder'), db.delete(dealStakeholders).where(eq(dealStakeholders.id, id))],
    constant({ id, deleted: true as const }),
  )
}
