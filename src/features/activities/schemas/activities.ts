import * as v from 'valibot'
import { named, timestamps } from '../../../schemas/common.ts'
import {
  describe,
  Enum,
  Id,
  Instant,
  InstantOut,
  Integer,
  Metadata,
  Multiline,
  optional,
  SAMPLE_ID,
  SingleLine,
} from '../../../schemas/fields.ts'
import { ACTIVITY_TYPES, DIRECTIONS, MOST_CONTACTS, WRITTEN_TYPES } from '../rules/activities.ts'

const links = {
  contact_id: optional(
    describe(Id, 'The main contact. Defaults to the first of contact_ids; alone in an update, it replaces the main contact.'),
  ),
  contact_ids: v.optional(
    v.pipe(
      v.array(Id, 'must be a list of UUIDs'),
      v.maxLength(MOST_CONTACTS, `must contain at most ${MOST_CONTACTS} ids`),
      v.check((ids) => new Set(ids).size === ids.length, 'must not contain an id twice'),
      v.description(
        `The contacts who took part, at most ${MOST_CONTACTS}, the main one among them. An update replaces them, and the first becomes ` +
          'the main contact unless contact_id names another.',
      ),
      v.examples([[SAMPLE_ID]]),
    ),
  ),
  customer_id: optional(describe(Id, 'The company that took part.')),
  deal_id: optional(describe(Id, 'The related opportunity.')),
}
const fields = {
  activity_type: Enum(WRITTEN_TYPES, 'The type of activity: call, meeting or note.'),
  subject: optional(describe(SingleLine(255), 'The subject, in one line.', 'Quote for the deck')),
  body: optional(Multiline(65_536)),
  direction: v.optional(v.nullable(Enum(DIRECTIONS, 'Inbound or outbound; for calls only.'))),
  duration_seconds: v.optional(v.nullable(describe(Integer(0, 604_800), 'The duration in seconds.', 420))),
  outcome: optional(describe(SingleLine(120), 'The outcome.', 'Left a voicemail')),
  occurred_at: v.optional(describe(Instant, 'When it happened. Defaults to now.')),
  metadata: v.optional(describe(Metadata, 'Custom field values by key. An update merges them; null removes a key.')),
}

const { deal_id: _, ...otherLinks } = links
export const NewActivity = v.strictObject({ ...fields, ...links })
export const NewDealActivity = v.strictObject({ ...fields, ...otherLinks })
export const ActivityPatch = v.strictObject({ ...v.partial(v.strictObject(fields)).entries, ...links })
export const ActivityPatchWithId = v.strictObject({ id: Id, ...ActivityPatch.entries })
export type NewActivity = v.InferOutput<typeof NewActivity>
export type ActivityPatch = v.InferOutput<typeof ActivityPatch>

export const Activity = named(
  'Activity',
  v.object({
    id: Id,
    activity_type: v.picklist(ACTIVITY_TYPES),
    contact_id: v.pipe(v.nullable(Id), v.description('The main contact.')),
    contact_ids: v.pipe(v.array(Id), v.description('The contacts who took part, the main one first.')),
    customer_id: v.nullable(Id),
    deal_id: v.pipe(v.nullable(Id), v.description('The related opportunity.')),
    subject: v.nullable(v.string()),
    body: v.nullable(v.string()),
    direction: v.nullable(v.picklist(DIRECTIONS)),
    duration_seconds: v.nullable(v.pipe(v.number(), v.integer())),
    outcome: v.nullable(v.string()),
    occurred_at: InstantOut,
    created_by: v.pipe(v.nullable(Id), v.description('The user whose key created it.')),
    metadata: v.record(v.string(), v.unknown()),
    ...timestamps,
  }),
)
