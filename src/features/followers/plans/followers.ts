import { eq, sql } from 'drizzle-orm'
import type { PgColumn } from 'drizzle-orm/pg-core'
import type * as v from 'valibot'
import { companies, contacts, followers, opportunities, users } from '../../../../schema/index.ts'
import { childrenOf, type Parent } from '../../../data/children.ts'
import { assertField, typed } from '../../../data/query.ts'
import { selectAny } from '../../../data/store.ts'
import { MAX_FOLLOWERS } from '../../../domain/limits.ts'
import { assertMember, memberName } from '../../members/plans/members.ts'
import { CompanyFollower, ContactFollower, OpportunityFollower } from '../schemas/followers.ts'

const TOO_MANY = `A record has at most ${MAX_FOLLOWERS} followers: remove one first`

/** The followers of one kind of record. Only current members can be added; a removed one stays, and is not notified. */
function followersOf<S extends v.GenericSchema>(parent: Parent, link: PgColumn, _: S) {
  const { user_id, created_at } = followers
  const fields = { [link.name]: link, user_id, full_name: memberName(user_id), email: users.email, created_at }
  return childrenOf({
    parent,
    what: `follower of this ${parent.name}`,
    table: followers,
    link,
    parentKey: `${parent.name}_id`,
    key: followers.user_id,
    unique: followers.user_id,
    select: (keys) =>
      typed<v.InferOutput<S>>(
        selectAny({ ...fields, ...keys })
          .from(followers)
          .innerJoin(users, eq(users.id, user_id)),
      ),
    sort: 'id',
    create: ({ user_id }: { user_id: string }, { parentId }) => ({
      before: [assertMember(user_id, 'user_id')],
      after: [
        assertField(sql`(select count(*) from ${followers} where ${link} = ${parentId}) <= ${MAX_FOLLOWERS}::int`, 'user_id', TOO_MANY),
      ],
    }),
    update: (_: object) => ({}),
  })
}

export const contactFollowers = followersOf({ table: contacts, name: 'contact' }, followers.contact_id, ContactFollower)
export const companyFollowers = followersOf({ table: companies, name: 'company' }, followers.customer_id, CompanyFollower)
export const opportunityFollowers = followersOf(
  { table: opportunities, name: 'opportunity' },
  followers.opportunity_id,
  OpportunityFollower,
)
