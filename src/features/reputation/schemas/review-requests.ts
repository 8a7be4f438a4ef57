import * as v from 'valibot'
import { bulkResult, named, timestamps } from '../../../schemas/common.ts'
import { describe, Enum, Id, Ids, InstantOut, Integer, Multiline } from '../../../schemas/fields.ts'
import { StoredFilter } from '../../../schemas/filters.ts'
import { TagNames } from '../../campaigns/schemas/campaigns.ts'
import {
  ASK_AGAIN_DAYS,
  DEFAULT_REMIND_DAYS,
  MAX_ASKED,
  MAX_ASKED_AUDIENCE,
  MAX_REMIND_DAYS,
  MAX_WORDS,
  REVIEW_CHANNELS,
  REVIEW_REQUEST_STATUSES,
} from '../rules/review-requests.ts'

const Audience = v.pipe(
  v.strictObject(
    {
      tags: v.optional(describe(TagNames, 'Contacts with at least one of these tags.', ['Served in June'])),
      list_ids: v.optional(describe(v.pipe(Ids(20), v.minLength(1)), 'Members of at least one of these lists of contacts.')),
      filter: v.optional(
        describe(StoredFilter, 'Contacts that match this filter, as their search takes it.', {
          field: 'city',
          op: 'eq',
          value: 'Newcastle',
        }),
      ),
    },
    'must be an object',
  ),
  v.check((audience) => Object.keys(audience).length > 0, 'must have tags, list_ids or a filter'),
  v.description(
    `The contacts who meet all of these keys, at most ${MAX_ASKED_AUDIENCE}. It must not select people by how satisfied they are, ` +
      'such as by a rating: asking only happy customers is forbidden in many countries.',
  ),
  v.examples([{ tags: ['Served in June'] }]),
)

export const AskForReviews = v.pipe(
  v.strictObject({
    channel: describe(Enum(REVIEW_CHANNELS), 'How they are asked.', 'email'),
    contact_ids: v.optional(
      describe(
        v.pipe(Ids(MAX_ASKED), v.minLength(1, 'must have at least one id')),
        `Whom to ask: 1 to ${MAX_ASKED} contacts. Instead of an \`audience\`.`,
      ),
    ),
    audience: v.optional(Audience),
    message: v.optional(
      v.nullable(
        describe(
          v.pipe(
            Multiline(MAX_WORDS),
            v.check((text) => text.trim() !== '', 'must not be empty'),
          ),
          'What the message says before the link. By default a neutral question.',
          'Thank you for choosing us. How was the installation?',
        ),
      ),
    ),
    remind_after_days: v.optional(
      v.nullable(
        describe(
          Integer(1, MAX_REMIND_DAYS),
          `After how many days without a review there is one reminder; null for none. Defaults to ${DEFAULT_REMIND_DAYS}.`,
          DEFAULT_REMIND_DAYS,
        ),
      ),
    ),
  }),
  v.forward(
    v.check((input) => (input.contact_ids === undefined) !== (input.audience === undefined), 'Send either contact_ids or an audience'),
    ['contact_ids'],
  ),
)
export type AskForReviews = v.InferOutput<typeof AskForReviews>

export const reviewRequestFilters = {
  status: v.optional(Enum(REVIEW_REQUEST_STATUSES)),
  channel: v.optional(Enum(REVIEW_CHANNELS)),
  contact_id: v.optional(Id),
}

const at = (what: string) => v.pipe(v.nullable(InstantOut), v.description(what))
export const ReviewRequest = named(
  'ReviewRequest',
  v.object({
    id: Id,
    profile_id: Id,
    contact_id: Id,
    channel: Enum(REVIEW_CHANNELS),
    message: v.pipe(v.nullable(v.string()), v.description('What the message says before the link; null for the usual words.')),
    remind_after_days: v.pipe(
      v.nullable(v.number()),
      v.description('After how many days there is a reminder; null for none.'),
      v.examples([5]),
    ),
    status: Enum(
      REVIEW_REQUEST_STATUSES,
      '`reminded`: the one reminder was sent too. `stopped`: the contact can no longer be reached, or has refused.',
    ),
    reason: v.pipe(
      v.nullable(v.string()),
      v.description('Why it waits (quiet_hours, channel_not_configured, profile_not_published, insufficient_credits), or was stopped.'),
      v.examples(['quiet_hours']),
    ),
    sent_at: at('When it was handed over for sending.'),
    reminded_at: at('When the reminder was.'),
    reviewed_at: at('When the review was written.'),
    review_id: v.pipe(v.nullable(Id), v.description('The review; null without one, or after it was deleted.')),
    expires_at: v.pipe(InstantOut, v.description(`Until when the link works: ${ASK_AGAIN_DAYS} days.`)),
    ...timestamps,
  }),
)
export type ReviewRequest = v.InferOutput<typeof ReviewRequest>
export const ReviewRequests = bulkResult(ReviewRequest)
