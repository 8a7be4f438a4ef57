import { and, eq, sql } from 'drizzle-orm'
import { contacts, stakeholderMembers, stakeholderTypes } from '../../../../schema/index.ts'
import { childrenOf } from '../../../data/children.ts'
import { db, type Statement } from '../../../data/db.ts'
import { assertField } from '../../../data/query.ts'

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

/** The contacts that belong to a type. One whose membership ends remains a stakeholder where it already is one. */
export const typeMembers = childrenOf({
  parent: { table: stakeholderTypes, name: 'stakeholder type' },
  what: 'member of this stakeholder type',
  table: stakeholderMembers,
  link: stakeholderMembers.type_id,
  unique: stakeholderMembers.contact_id,
  select: (keys) =>
    db
      .select({ ...memberFields, ...keys })
      .from(stakeholderMembers)
      .innerJoin(contacts, and(eq(contacts.workspace_id, stakeholderMembers.workspace_id), eq(contacts.id, stakeholderMembers.contact_id))),
  sort: 'id',
  matchParent: true,
})

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
