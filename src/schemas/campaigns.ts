import * as v from 'valibot'
import { CAMPAIGN_TAGS } from '../domain/campaigns/content.ts'
import { MAX_AUDIENCE_COUNTED, MAX_AUDIENCE_SAMPLE, MAX_BODY_HTML, MAX_HOURLY } from '../domain/campaigns/limits.ts'
import { CAMPAIGN_STATUSES, RECIPIENT_STATUSES, SKIP_REASONS, UNSUBSCRIBE_REASONS } from '../domain/campaigns/states.ts'
import { MAX_STORED_FILTER } from '../domain/lists.ts'
import { named, timestamps } from './common.ts'
import { describe, Email, Enum, Id, Ids, Instant, InstantOut, Integer, Multiline, Name, optional, pageQuery, SingleLine } from './fields.ts'
import { FILTER_FORMS } from './filters.ts'

const ID = '01939f6e-8b5a-7c31-9d24-6f0e8a1b2c3d'
const TAGS = CAMPAIGN_TAGS.map((name) => `{{${name}}}`).join(', ')

const StoredFilter = v.pipe(
  v.custom<Record<string, unknown>>(
    (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
    'must be a filter: an object',
  ),
  v.check((filter) => JSON.stringify(filter).length <= MAX_STORED_FILTER, `must be at most ${MAX_STORED_FILTER} characters of JSON`),
  v.metadata(FILTER_FORMS),
)
const names = v.pipe(
  v.array(Name(80), 'must be a list of tags'),
  v.minLength(1, 'must have at least one tag'),
  v.maxLength(100, 'must be at most 100'),
)
const someIds = (max: number) => v.pipe(Ids(max), v.minLength(1, 'must have at least one id'))
const key = <S extends v.GenericSchema>(schema: S, description: string, example: v.InferOutput<S>) =>
  v.optional(describe(schema, description, example))

const Segment = v.pipe(
  v.strictObject(
    {
      tags: key(names, 'Contacts with at least one of these tags.', ['Newsletter']),
      tags_match: key(Enum(['any', 'all']), '`all`: contacts with every one of `tags`.', 'any'),
      exclude_tags: key(names, 'No contacts with one of these tags.', ['Press']),
      pipeline_ids: key(someIds(100), 'Contacts of an opportunity in one of these pipelines.', [ID]),
      stage_ids: key(someIds(100), 'Contacts of an opportunity on one of these stages.', [ID]),
      opportunity_status: key(Enum(['open', 'won', 'lost']), 'Contacts of an opportunity with this status.', 'open'),
      list_ids: key(someIds(20), 'Members of at least one of these lists of contacts.', [ID]),
      exclude_list_ids: key(someIds(20), 'No members of these lists of contacts.', [ID]),
      filter: key(StoredFilter, 'Contacts that match this filter, as their search takes it.', {
        field: 'city',
        op: 'eq',
        value: 'Newcastle',
      }),
    },
    'must be an object',
  ),
  v.description(
    'The audience: contacts who meet all of these keys. The pipeline, the stage and the status are those of one opportunity. Archived contacts are left out unless the filter mentions `archived`. `{}` is every contact; null that none is chosen yet, so that the campaign cannot be sent.',
  ),
  v.examples([{ tags: ['Newsletter'] }]),
)

const fields = {
  name: describe(Name(120), 'The name of the campaign, which recipients do not see.', 'Spring offer'),
  subject: optional(describe(SingleLine(255), `The subject. It may have merge tags: ${TAGS}.`, 'Hello {{first_name | there}}')),
  body_html: optional(
    describe(
      Multiline(MAX_BODY_HTML),
      `The body as HTML, with merge tags: ${TAGS}. What follows \`|\` is shown for a contact without a value. A body without an unsubscribe link is not sent.`,
      '<p>Hello {{first_name | there}}</p><p><a href="{{unsubscribe_url}}">Unsubscribe</a></p>',
    ),
  ),
  segment_filter: v.optional(v.nullable(Segment)),
  max_per_hour: v.optional(v.nullable(describe(Integer(1, MAX_HOURLY), 'The most emails per hour. By default as many as possible.', 5000))),
}
export const NewCampaign = v.strictObject(fields)
export type NewCampaign = v.InferOutput<typeof NewCampaign>
export const CampaignPatch = v.partial(v.strictObject(fields))
export type CampaignPatch = v.InferOutput<typeof CampaignPatch>

export const CampaignSchedule = v.strictObject({
  scheduled_at: describe(Instant, 'When it is sent. In the future, at most a year ahead.', '2030-03-31T09:30:00.000Z'),
})
export const CampaignCopy = v.strictObject({ name: describe(Name(120), 'The name of the copy.', 'Autumn offer') })
export const CampaignTest = v.strictObject({
  email: describe(Email, 'Where the test is sent to.', 'ana@example.com'),
  contact_id: v.optional(describe(Id, 'The contact whose values the merge tags have. Without one they have no values.')),
})
export type CampaignTest = v.InferOutput<typeof CampaignTest>

const number = (description: string, example = 0) => v.pipe(v.number(), v.integer(), v.description(description), v.examples([example]))
const REASONS: Record<(typeof SKIP_REASONS)[number], string> = {
  no_address: 'Contacts without an email address.',
  unsubscribed: 'Those who asked for no more email.',
  hard_bounce: 'Those whose address does not exist.',
  complaint: 'Those who reported an email as spam.',
  suppressed: 'Those whose address a member has put on the suppression list.',
  duplicate_address: 'Contacts with the address of another recipient.',
  archived: 'Archived contacts.',
  address_changed: 'Contacts whose address changed after the audience was read.',
  contact_deleted: 'Contacts that were deleted after the audience was read.',
}
const byReason = (description: string) =>
  v.pipe(v.object(Object.fromEntries(SKIP_REASONS.map((reason) => [reason, number(REASONS[reason])]))), v.description(description))
const SKIPPED = 'People of the audience who are no recipients, by reason.'

export const CampaignStats = v.pipe(
  v.object({
    audience: number('The people of the audience that were read so far. At the end: `recipients` and all of `skipped` together.', 100),
    recipients: number('The recipients: one for each address. Each counts for one of the statuses from `queued` to `failed`.', 98),
    queued: number('Not handed to the mail provider yet.'),
    sent: number('Handed over; nothing else is known.', 3),
    delivered: number('Delivered and not opened.', 60),
    opened: number('Opened, and no link was clicked.', 20),
    clicked: number('A link was clicked.', 12),
    bounced: number('Returned by the mail server of the recipient.', 2),
    failed: number('Refused by the mail provider.', 1),
    complained: number('Those who reported the email as spam.'),
    unsubscribed: number('Those who unsubscribed by this campaign.', 1),
    skipped: byReason(SKIPPED),
  }),
  v.description('The recipients by the status that they have now.'),
)
export type CampaignStats = v.InferOutput<typeof CampaignStats>

export const EmailCampaign = named(
  'EmailCampaign',
  v.object({
    id: Id,
    name: v.string(),
    subject: v.nullable(v.string()),
    status: v.pipe(
      v.picklist(CAMPAIGN_STATUSES),
      v.description('`sent`: nobody is queued any more. `paused`: by hand, or by the system for the reason in `error`.'),
    ),
    segment_filter: v.pipe(
      v.nullable(v.record(v.string(), v.unknown())),
      v.description('The audience, as it was sent.'),
      v.examples([{ tags: ['Newsletter'] }]),
    ),
    max_per_hour: v.pipe(
      v.nullable(v.number()),
      v.description('The most emails per hour; null for as many as possible.'),
      v.examples([null]),
    ),
    scheduled_at: v.pipe(v.nullable(InstantOut), v.description('When it is sent, if it is scheduled.')),
    started_at: v.pipe(v.nullable(InstantOut), v.description('When the send began.')),
    ended_at: v.pipe(v.nullable(InstantOut), v.description('When the send ended.')),
    error: v.pipe(
      v.nullable(v.object({ code: v.string(), message: v.string() })),
      v.description('Why it failed, or why the system has paused it.'),
      v.examples([null]),
    ),
    stats: CampaignStats,
    ...timestamps,
  }),
)
export type EmailCampaign = v.InferOutput<typeof EmailCampaign>
export const EmailCampaignDetails = named(
  'EmailCampaignDetails',
  v.object({
    ...EmailCampaign.entries,
    body_html: v.pipe(v.nullable(v.string()), v.description('The body as HTML, with its merge tags.')),
  }),
)
export type EmailCampaignDetails = v.InferOutput<typeof EmailCampaignDetails>

export const campaignFilters = { status: v.optional(Enum(CAMPAIGN_STATUSES)) }

export const AudienceSample = v.object({
  id: v.pipe(v.string(), v.description('The id of the contact.'), v.examples([ID])),
  first_name: v.string(),
  last_name: v.nullable(v.string()),
  email: v.pipe(v.nullable(v.string()), v.examples(['ana@example.com'])),
  skip_reason: v.pipe(
    v.nullable(v.picklist(SKIP_REASONS)),
    v.description('Why the contact gets no email; null for a recipient.'),
    v.examples([null]),
  ),
})
export const CampaignAudience = named(
  'CampaignAudience',
  v.object({
    total: number('The contacts that the segment matches now.', 100),
    total_is_exact: v.pipe(
      v.boolean(),
      v.description(`False if there are more: at most ${MAX_AUDIENCE_COUNTED} are counted.`),
      v.examples([true]),
    ),
    recipients: number('Those of them who would get the email: one for each address.', 98),
    skipped: byReason('Those who would not, by reason.'),
    sample: v.pipe(v.array(AudienceSample), v.description(`The first contacts, at most ${MAX_AUDIENCE_SAMPLE}.`)),
  }),
)

export const Preflight = named(
  'CampaignPreflight',
  v.object({
    ready: v.pipe(v.boolean(), v.description('Whether the campaign can be sent.'), v.examples([true])),
    issues: v.pipe(
      v.array(
        v.object({
          path: v.pipe(v.string(), v.description('The field.'), v.examples(['subject'])),
          message: v.pipe(v.string(), v.description('What is wrong, and the remedy.')),
        }),
      ),
      v.description('What keeps it from being sent, with the field and the remedy.'),
      v.examples([[]]),
    ),
  }),
)

export const CampaignLink = named(
  'CampaignLink',
  v.object({
    id: Id,
    url: v.pipe(
      v.string(),
      v.description(
        'The address as the campaign has it. The links to unsubscribe, of which each recipient has another, are `{{unsubscribe_url}}`.',
      ),
      v.examples(['https://example.com/spring']),
    ),
    recipients: number('The recipients who followed the link, each counted once.', 12),
    first_clicked_at: v.pipe(v.nullable(InstantOut), v.description('When it was followed first.')),
    last_clicked_at: v.pipe(v.nullable(InstantOut), v.description('When a recipient followed it for the first time last.')),
  }),
)
export const CampaignClick = named(
  'CampaignClick',
  v.object({
    recipient_id: Id,
    contact_id: Id,
    email: v.pipe(v.string(), v.examples(['ana@example.com'])),
    clicked_at: v.pipe(InstantOut, v.description('When the recipient followed the link first.')),
  }),
)

const when = (description: string) => v.pipe(v.nullable(InstantOut), v.description(description))
export const CampaignRecipient = named(
  'CampaignRecipient',
  v.object({
    id: Id,
    contact_id: Id,
    email: v.pipe(v.string(), v.examples(['ana@example.com'])),
    status: v.pipe(v.picklist(RECIPIENT_STATUSES), v.description('How far it has come. It only moves forward.')),
    reconciling: v.pipe(
      v.boolean(),
      v.description(
        'The provider has not said whether it accepted the email, and is asked before the email is sent again. The status stays `queued`.',
      ),
      v.examples([false]),
    ),
    error: v.pipe(v.nullable(v.string()), v.description('Why it bounced or failed, or why the latest attempt did.'), v.examples([null])),
    provider_message_id: v.pipe(v.nullable(v.string()), v.description('Its id at the mail provider.')),
    sent_at: when('When it was handed to the mail provider.'),
    delivered_at: when('When it was delivered.'),
    opened_at: when('When it was opened first.'),
    clicked_at: when('When a link was clicked first.'),
    bounced_at: when('When it was returned.'),
    complained_at: when('When it was reported as spam.'),
    unsubscribed_at: when('When the recipient unsubscribed.'),
    created_at: InstantOut,
  }),
)
export const recipientQuery = v.strictObject({
  ...pageQuery,
  status: v.optional(Enum(RECIPIENT_STATUSES)),
  search: v.optional(
    v.pipe(
      SingleLine(254),
      v.minLength(1, 'must not be empty'),
      v.transform((text) => text.toLowerCase()),
      v.description('Only recipients whose address begins with this text, in the order of their addresses.'),
      v.examples(['ana@']),
    ),
  ),
})
export type RecipientQuery = v.InferOutput<typeof recipientQuery>

export const Unsubscribe = named(
  'Unsubscribe',
  v.object({
    id: Id,
    email: v.pipe(v.string(), v.examples(['ana@example.com'])),
    contact_id: v.nullable(Id),
    campaign_id: v.pipe(
      v.nullable(Id),
      v.description('The campaign that led to it; null if it was another message, or the campaign was deleted.'),
    ),
    reason: v.pipe(
      v.picklist(UNSUBSCRIBE_REASONS),
      v.description(
        '`link_click`: the link in the email. `unsubscribe_header`: the button of the mail program. `hard_bounce`, `complaint`: the address is blocked.',
      ),
    ),
    created_at: InstantOut,
  }),
)
export const unsubscribeQuery = v.strictObject({
  ...pageQuery,
  campaign_id: v.optional(Id),
  reason: v.optional(Enum(UNSUBSCRIBE_REASONS)),
})
export type UnsubscribeQuery = v.InferOutput<typeof unsubscribeQuery>
