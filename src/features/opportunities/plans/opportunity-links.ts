import { and, eq, sql } from 'drizzle-orm'
import type * as v from 'valibot'
import { contacts, memberships, opportunityContacts, opportunityUsers, users } from '../../../../schema/index.ts'
import { childrenOf } from '../../../data/children.ts'
import { db, type Statement } from '../../../data/db.ts'
import type { Keys } from '../../../data/page.ts'
import { assertField } from '../../../data/query.ts'
import { memberName } from '../../members/plans/members.ts'
import type { ContactLink, UserLink } from '../schemas/opportunities.ts'
import { OPPORTUNITY } from './parent.ts'

type Contact = v.InferOutput<typeof ContactLink>
type User = v.InferOutput<typeof UserLink>

const noOtherPrimary = (opportunityId: string, contactId: string): Statement =>
  db
    .update(opportunityContacts)
    .set({ is_primary: false })
    .where(sql`opportunity_id = ${opportunityId} and contact_id <> ${contactId} and is_primary`)

export const selectLinkedContacts = (keys: Keys | object) =>
  db
    .select({
      contact_id: opportunityContacts.contact_id,
      first_name: contacts.first_name,
      last_name: contacts.last_name,
      email: contacts.email,
      phone: contacts.phone,
      role: opportunityContacts.role,
      is_primary: opportunityContacts.is_primary,
      ...keys,
    })
    .from(opportunityContacts)
    .innerJoin(contacts, and(eq(contacts.workspace_id, opportunityContacts.workspace_id), eq(contacts.id, opportunityContacts.contact_id)))

/** The contacts of an opportunity. The lock on the opportunity prevents that two concurrent links both become primary. */
export const linkedContacts = childrenOf({
  parent: OPPORTUNITY,
  what: 'contact on this opportunity',
  table: opportunityContacts,
  link: opportunityContacts.opportunity_id,
  key: opportunityContacts.contact_id,
  unique: opportunityContacts.contact_id,
  select: selectLinkedContacts,
  sort: 'id',
  lockParent: true,
  create: ({ contact_id, is_primary }: Contact, { parentId }) => ({ before: [is_primary && noOtherPrimary(parentId, contact_id)] }),
  update: ({ is_primary }: Omit<Contact, 'contact_id'>, { parentId, id }) => ({ before: [is_primary && noOtherPrimary(parentId, id)] }),
})

export const linkedUsers = childrenOf({
  parent: OPPORTUNITY,
  what: 'user on this opportunity',
  table: opportunityUsers,
  link: opportunityUsers.opportunity_id,
  key: opportunityUsers.user_id,
  unique: opportunityUsers.user_id,
  select: (keys) =>
    db
      .select({
        user_id: opportunityUsers.user_id,
        full_name: memberName(opportunityUsers.user_id),
        email: users.email,
        role: opportunityUsers.role,
        ...keys,
      })
      .from(opportunityUsers)
      .innerJoin(users, eq(users.id, opportunityUsers.user_id)),
  sort: 'id',
  lockParent: true,
  create: ({ user_id }: User) => ({
    before: [
      assertField(
        sql`exists (select from ${memberships} where user_id = ${user_id} and status <> 'removed')`,
        'user_id',
        'No such member of this workspace',
      ),
    ],
  }),
})
