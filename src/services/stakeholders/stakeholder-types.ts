import { and, eq, sql } from 'drizzle-orm'
import type * as v from 'valibot'
import { contacts, stakeholderMembers, stakeholderTypes } from '../../../schema/index.ts'
import type { Ctx } from '../../context.ts'
import { db, type Statement } from '../../data/db.ts'
import { listWhere, sortKeys } from '../../data/lists.ts'
import { type Keys, type PageQuery, page } from '../../data/page.ts'
import { plan, read } from '../../data/plan.ts'
import { assertField, constant, oneOrThrow } from '../../data/query.ts'
import { assertExists, columnsFor, lockForUpdate, store } from '../../data/store.ts'
import { newId } from '../../lib/ids.ts'
import { type NewStakeholderType, StakeholderType, type StakeholderTypePatch } from '../../schemas/stakeholders.ts'

const WHAT = 'stakeholder type'
const fields = columnsFor(stakeholderTypes, StakeholderType)
const verbs = store<typeof stakeholderTypes, v.InferOutput<typeof StakeholderType>>(
  stakeholderTypes,
  WHAT,
  db.select(fields).from(stakeholderTypes),
)
const withKeys = (keys: Keys) => db.select({ ...fields, ...keys }).from(stakeholderTypes)
export const TYPE_SORTS = ['created_at', 'name']

export function listTypes(query: Record<string, unknown>) {
  return read(
    page({
      select: withKeys,
      id: stakeholderTypes.id,
      where: listWhere(stakeholderTypes, {}, query),
      sorts: sortKeys(stakeholderTypes, TYPE_SORTS),
      name: 'stakeholder types',
      query: query as PageQuery,
    }),
  )
}

export const getType = verbs.get
export const createType = (input: v.InferOutput<typeof NewStakeholderType>) => verbs.create(newId(), input as never)
/** Updates a type. When it stops being assignable, tasks keep their stakeholders and only new assignments are refused. */
export const updateType = (ctx: Ctx, id: string, patch: v.InferOutput<typeof StakeholderTypePatch>) => verbs.update(ctx, id, patch as never)
/** Deletes a type with its memberships. Stakeholders of opportunities remain, without a type. */
export const deleteType = verbs.remove

export const personFields = {
  contact_id: contacts.id,
  first_name: contacts.first_name,
  last_name: contacts.last_name,
  email: contacts.email,
  phone: contacts.phone,
}
const memberFields = {
  id: stakeholderMembers.id,
  type_id: stakeholderMembers.type_id,
  ...personFields,
  created_at: stakeholderMembers.created_at,
}
const members = <More extends object>(more: More) =>
  db
    .select({ ...memberFields, ...more })
    .from(stakeholderMembers)
    .innerJoin(contacts, and(eq(contacts.workspace_id, stakeholderMembers.workspace_id), eq(contacts.id, stakeholderMembers.contact_id)))

export function listTypeMembers(typeId: string, query: PageQuery) {
  const result = page({
    select: members,
    id: stakeholderMembers.id,
    where: [eq(stakeholderMembers.type_id, typeId)],
    sorts: { id: stakeholderMembers.id },
    name: `members of ${typeId}`,
    query: { ...query, sort: 'id' },
  })
  return plan([assertExists(stakeholderTypes, typeId, WHAT)], result)
}

/** Adds the contact to the type. Repeating it changes nothing and returns the existing membership. */
export function addTypeMember(ctx: Ctx, typeId: string, contactId: string) {
  const pair = { type_id: typeId, contact_id: contactId }
  return plan(
    [
      lockForUpdate(ctx, stakeholderTypes, typeId, WHAT),
      db
        .insert(stakeholderMembers)
        .values({ id: newId(), ...pair })
        .onConflictDoNothing(),
    ],
    oneOrThrow(members({}).where(and(eq(stakeholderMembers.type_id, typeId), eq(stakeholderMembers.contact_id, contactId))), 'member'),
  )
}

/** Ends a membership. The contact remains a stakeholder where it already is one. */
export function removeTypeMember(ctx: Ctx, typeId: string, id: string) {
  return plan(
    [
      sql`select assert_version((select version from stakeholder_members where id = ${id} and type_id = ${typeId} for update), ${ctx.ifMatch ?? null}::int, 'member of this stakeholder type')`,
      db.delete(stakeholderMembers).where(eq(stakeholderMembers.id, id)),
    ],
    constant({ id, deleted: true as const }),
  )
}

/** Asserts that the contact belongs to at least one assignable type. The lock blocks a concurrent change of that. */
export const assertAssignable = (contactId: string): Statement[] => [
  assertField(sql`exists (select from contacts where id = ${contactId})`, 'contact_id', 'contact_id does not exist in this workspace'),
  assertField(
    sql`exists (select from stakeholder_members m join stakeholder_types t on t.workspace_id = m.workspace_id and t.id = m.type_id
      where m.contact_id = ${contactId} and t.assignable_to_work_orders for share)`,
    'contact_id',
    'The contact does not belong to a stakeholder type with assignable_to_work_orders: add it to one first',
  ),
]
