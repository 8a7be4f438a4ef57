import { and, eq, sql } from 'drizzle-orm'
import type * as v from 'valibot'
import { contacts, memberships, opportunities, opportunityContacts, opportunityUsers, users } from '../../../schema/index.ts'
import type { Ctx } from '../../context.ts'
import { db, type Statement } from '../../data/db.ts'
import { type PageQuery, page } from '../../data/page.ts'
import { plan } from '../../data/plan.ts'
import { assertField, constant, oneOrThrow } from '../../data/query.ts'
import { assertExists, lockForUpdate } from '../../data/store.ts'
import { newId } from '../../lib/ids.ts'
import type { ContactLink, UserLink } from '../../schemas/opportunities.ts'

type Contact = v.InferOutput<typeof ContactLink>
type User = v.InferOutput<typeof UserLink>

/** Locks the opportunity, so that two concurrent links cannot both become primary. */
const lockOpportunity = (ctx: Ctx, id: string) => lockForUpdate({ ...ctx, ifMatch: undefined }, opportunities, id, 'opportunity')

const contactFields = {
  contact_id: opportunityContacts.contact_id,
  first_name: contacts.first_name,
  last_name: contacts.last_name,
  email: contacts.email,
  phone: contacts.phone,
  role: opportunityContacts.role,
  is_primary: opportunityContacts.is_primary,
}
const contactLinks = <More extends object>(more: More) =>
  db
    .select({ ...contactFields, ...more })
    .from(opportunityContacts)
    .innerJoin(contacts, and(eq(contacts.workspace_id, opportunityContacts.workspace_id), eq(contacts.id, opportunityContacts.contact_id)))
const ofContact = (opportunityId: string, contactId: string) =>
  and(eq(opportunityContacts.opportunity_id, opportunityId), eq(opportunityContacts.contact_id, contactId))
const linkedContact = (opportunityId: string, contactId: string) =>
  oneOrThrow(contactLinks({}).where(ofContact(opportunityId, contactId)), 'contact on this opportunity')
const noOtherPrimary = (opportunityId: string, contactId: string): Statement =>
  db
    .update(opportunityContacts)
    .set({ is_primary: false })
    .where(sql`opportunity_id = ${opportunityId} and contact_id <> ${contactId} and is_primary`)

export function listContacts(opportunityId: string, query: PageQuery) {
  return plan(
    [assertExists(opportunities, opportunityId, 'opportunity')],
    page({
      select: contactLinks,
      id: opportunityContacts.id,
      where: [eq(opportunityContacts.opportunity_id, opportunityId)],
      sorts: { id: opportunityContacts.id },
      name: `contacts ${opportunityId}`,
      query: { ...query, sort: 'id' },
    }),
  )
}

export function linkContact(ctx: Ctx, opportunityId: string, { contact_id, ...link }: Contact) {
  const insert = db.insert(opportunityContacts).values({ id: newId(), opportunity_id: opportunityId, contact_id, ...link })
  const again =
    Object.keys(link).length > 0
      ? insert.onConflictDoUpdate({
          target: [opportunityContacts.workspace_id, opportunityContacts.opportunity_id, opportunityContacts.contact_id],
          set: link,
        })
      : insert.onConflictDoNothing()
  return plan(
    [lockOpportunity(ctx, opportunityId), link.is_primary && noOtherPrimary(opportunityId, contact_id), again],
    linkedContact(opportunityId, contact_id),
  )
}

export function updateContactLink(ctx: Ctx, opportunityId: string, contactId: string, patch: Omit<Contact, 'contact_id'>) {
  const changes = Object.keys(patch).length > 0
  return plan(
    [
      lockOpportunity(ctx, opportunityId),
      patch.is_primary && noOtherPrimary(opportunityId, contactId),
      linked('opportunity_contacts', 'contact', opportunityId, contactId),
      changes && db.update(opportunityContacts).set(patch).where(ofContact(opportunityId, contactId)),
    ],
    linkedContact(opportunityId, contactId),
  )
}

export function unlinkContact(ctx: Ctx, opportunityId: string, contactId: string) {
  return plan(
    [
      lockOpportunity(ctx, opportunityId),
      linked('opportunity_contacts', 'contact', opportunityId, contactId),
      db.delete(opportunityContacts).where(ofContact(opportunityId, contactId)),
    ],
    constant({ opportunity_id: opportunityId, contact_id: contactId, deleted: true as const }),
  )
}

/** NOT_FOUND unless the link exists. */
const linked = (table: string, what: 'contact' | 'user', opportunityId: string, id: string): Statement =>
  sql`select assert_version((select version from ${sql.identifier(table)} where opportunity_id = ${opportunityId} and ${sql.identifier(`${what}_id`)} = ${id} for update), null, ${`${what} on this opportunity`})`

const userLinks = <More extends object>(more: More) =>
  db
    .select({ user_id: opportunityUsers.user_id, full_name: users.full_name, email: users.email, role: opportunityUsers.role, ...more })
    .from(opportunityUsers)
    .innerJoin(users, eq(users.id, opportunityUsers.user_id))
const ofUser = (opportunityId: string, userId: string) =>
  and(eq(opportunityUsers.opportunity_id, opportunityId), eq(opportunityUsers.user_id, userId))
const linkedUser = (opportunityId: string, userId: string) =>
  oneOrThrow(userLinks({}).where(ofUser(opportunityId, userId)), 'user on this opportunity')

export function listUsers(opportunityId: string, query: PageQuery) {
  return plan(
    [assertExists(opportunities, opportunityId, 'opportunity')],
    page({
      select: userLinks,
      id: opportunityUsers.id,
      where: [eq(opportunityUsers.opportunity_id, opportunityId)],
      sorts: { id: opportunityUsers.id },
      name: `users ${opportunityId}`,
      query: { ...query, sort: 'id' },
    }),
  )
}

export function linkUser(ctx: Ctx, opportunityId: string, { user_id, ...link }: User) {
  const insert = db.insert(opportunityUsers).values({ id: newId(), opportunity_id: opportunityId, user_id, ...link })
  const again =
    Object.keys(link).length > 0
      ? insert.onConflictDoUpdate({
          target: [opportunityUsers.workspace_id, opportunityUsers.opportunity_id, opportunityUsers.user_id],
          set: link,
        })
      : insert.onConflictDoNothing()
  const member = assertField(
    sql`exists (select from ${memberships} where user_id = ${user_id} and status <> 'removed')`,
    'user_id',
    'No such member of this workspace',
  )
  return plan([lockOpportunity(ctx, opportunityId), member, again], linkedUser(opportunityId, user_id))
}

export function updateUserLink(ctx: Ctx, opportunityId: string, userId: string, patch: Omit<User, 'user_id'>) {
  const changes = Object.keys(patch).length > 0
  return plan(
    [
      lockOpportunity(ctx, opportunityId),
      linked('opportunity_users', 'user', opportunityId, userId),
      changes && db.update(opportunityUsers).set(patch).where(ofUser(opportunityId, userId)),
    ],
    linkedUser(opportunityId, userId),
  )
}

export function unlinkUser(ctx: Ctx, opportunityId: string, userId: string) {
  return plan(
    [
      lockOpportunity(ctx, opportunityId),
      linked('opportunity_users', 'user', opportunityId, userId),
      db.delete(opportunityUsers).where(ofUser(opportunityId, userId)),
    ],
    constant({ opportunity_id: opportunityId, user_id: userId, deleted: true as const }),
  )
}
