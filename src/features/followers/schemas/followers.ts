import * as v from 'valibot'
import { named, timestamps } from '../../../schemas/common.ts'
import { describe, Id } from '../../../schemas/fields.ts'

export const NewFollower = v.strictObject({ user_id: describe(Id, 'The member who follows the record.') })

const fields = {
  user_id: Id,
  full_name: v.nullable(v.string()),
  email: v.string(),
  created_at: v.pipe(timestamps.created_at, v.description('Since when the member has followed the record.')),
}
export const ContactFollower = named('ContactFollower', v.object({ contact_id: Id, ...fields }))
export const CompanyFollower = named('CompanyFollower', v.object({ customer_id: Id, ...fields }))
export const OpportunityFollower = named('OpportunityFollower', v.object({ opportunity_id: Id, ...fields }))

/** The filter of lists by a follower. */
export const followerFilter = { followed_by: v.optional(describe(Id, 'A member who follows the record.')) }
