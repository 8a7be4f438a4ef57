import { eq, sql } from 'drizzle-orm'
import type { PgColumn } from 'drizzle-orm/pg-core'
import { companies, contacts, followers, opportunities, users } from '../../../schema/index.ts'
import { childrenOf, type Parent } from '../../data/children.ts'
import { db } from '../../data/db.ts'
import type { Keys } from '../../data/page.ts'
import { assertField } from '../../data/query.ts'
import { MAX_FOLLOWERS } from '../../domain/limits.ts'
import { assertMember } from '../members/members.ts'

const TOO_MANY = `A record has at most ${MAX_FOLLOWERS} followers: remove one first`

const selectFollowers = (keys: Keys) =>
  db
    .select({ user_id: followers.user_id, full_name: users.full_name, email: users.email, created_at: followers.created_at, ...keys })
    .from(followers)
    .innerJoin(users, eq(users.id, followers.user_id))

/** The followers of one kind of record. Only current members can be added; a removed one stays, and is not notified. */
const followersOf = (parent: Parent, link: PgColumn) =>
  childrenOf({
    parent,
    what: `follower of this ${parent.name}`,
    table: followers,
    link,
    parentKey: `${parent.name}_id`,
    key: followers.user_id,
    unique: followers.user_id,
    select: selectFollowers,
    sort: 'id',
    create: ({ user_id }: { user_id: string }, { parentId }) => ({
      before: [assertMember(user_id, 'user_id')],
      after: [
        assertField(sql`(select count(*) from ${followers} where ${link} = ${parentId}) <= ${MAX_FOLLOWERS}::int`, 'user_id', TOO_MANY),
      ],
    }),
    update: (_: object) => ({}),
  })

export const contactFollowers = followersOf({ table: contacts, name: 'contact' }, followers.contact_id)
export const companyFollowers = followersOf({ table: companies, name: 'company' }, followers.customer_id)
export const opportunityFollowers = followersOf({ table: opportunities, name: 'opportunity' }, followers.opportunity_id)
