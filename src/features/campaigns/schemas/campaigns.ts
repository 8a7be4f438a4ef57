import * as v from 'valibot'
import { named, timestamps } from '../../../schemas/common.ts'
import {
  describe,
  Email,
  Enum,
  Id,
  Ids,
  Instant,
  InstantOut,
  Integer,
  Multiline,
  Name,
  optional,
  SingleLine,
} from '../../../schemas/fields.ts'
import { StoredFilter } from '../../../schemas/filters.ts'
import { AB_METRICS, MAX_DECIDE_MINUTES, MAX_SAMPLE_PERCENT, MIN_DECIDE_MINUTES, VARIANTS } from '../rules/ab-tests.ts'
import { CAMPAIGN_TAGS } from '../rules/content.ts'
import { MAX_BODY_HTML, MAX_RATE } from '../rules/limits.ts'
import { CAMPAIGN_STATUSES, SKIP_REASONS } from '../rules/states.ts'

const ID = '01939f6e-8b5a-7c31-9d24-6f0e8a1b2c3d'
const TAGS = CAMPAIGN_TAGS.map((name) => `{{${name}}}`).join(', ')

export const TagNames = v.pipe(
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
      tags: key(TagNames, 'Contacts with at least one of these tags.', ['Newsletter']),
      tags_match: key(Enum(['any', 'all']), '`all`: contacts with every one of `tags`.', 'any'),
      exclude_tags: key(TagNames, 'No contacts with one of these tags.', ['Press']),
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
    'The audience: contacts who meet all of these keys. The pipeline, the stage and the status are those of one opportunity. ' +
      'Archived contacts are left out unless the filter mentions `archived`. `{}` is every contact; null that none is chosen yet, ' +
      'so that the campaign cannot be sent.',
  ),
  v.examples([{ tags: ['Newsletter'] }]),
)

const AbTest = v.pipe(
  v.strictObject(
    {
      subject_b: describe(
        Name(255),
        'The second subject, with the merge tags of `subject`, which is the first.',
        'News for {{first_name | you}}',
      ),
      sample_percent: describe(
        Integer(1, MAX_SAMPLE_PERCENT),
        'How many of the recipients try the subjects, in percent; two at least. Half of them get each.',
        20,
      ),
      decide_after_minutes: describe(
        Integer(MIN_DECIDE_MINUTES, MAX_DECIDE_MINUTES),
        'How many minutes after the send to the sample the others get the better subject.',
        240,
      ),
      by: describe(
        Enum(AB_METRICS),
        'What makes a subject the better one: the larger share of recipients who opened the email, or who followed a link in it. ' +
          'It needs `campaign_open_tracking` or `campaign_click_tracking` in the settings.',
        'opens',
      ),
    },
    'must be an object',
  ),
  v.description('A test of a second subject. In a draw, and without data, the first one is the better one. Null for none.'),
)

const most = (text: string, example: number) => v.optional(v.nullable(describe(Integer(1, MAX_RATE), text, example)))
const fields = {
  name: describe(Name(120), 'The name of the campaign, which recipients do not see.', 'Spring offer'),
  subject: optional(describe(SingleLine(255), `The subject. It may have merge tags: ${TAGS}.`, 'Hello {{first_name | there}}')),
  body_html: optional(
    describe(
      Multiline(MAX_BODY_HTML),
      `The body as HTML, with merge tags: ${TAGS}. What follows \`|\` is shown for a contact without a value. ` +
        'A body without an unsubscribe link is not sent.',
      '<p>Hello {{first_name | there}}</p><p><a href="{{unsubscribe_url}}">Unsubscribe</a></p>',
    ),
  ),
  segment_filter: v.optional(v.nullable(Segment)),
  config_id: v.optional(
    v.nullable(
      describe(
        Id,
        'The sender (POST /email/configs). By default the first one of the workspace. Replies go to its address, into the inbox of the ' +
          'workspace, or to its staff without an inbox.',
      ),
    ),
  ),
  max_per_minute: most('The most emails per minute. By default as many as possible.', 500),
  max_per_hour: most('The most emails per hour. By default as many as possible.', 5000),
  max_per_domain: most(
    'The most emails per hour to addresses of one mail domain, such as gmail.com. By default as many as possible.',
    1000,
  ),
  ab_test: v.optional(v.pipe(v.nullable(AbTest), v.examples([null]))),
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
  variant: v.optional(describe(Enum(VARIANTS), 'Which subject of an A/B test it has. Defaults to `a`, the subject of the campaign.', 'a')),
})
export type CampaignTest = v.InferOutput<typeof CampaignTest>

export const count = (description: string, example = 0) =>
  v.pipe(v.number(), v.integer(), v.description(description), v.examples([example]))
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
export const byReason = (description: string) =>
  v.pipe(v.object(Object.fromEntries(SKIP_REASONS.map((reason) => [reason, count(REASONS[reason])]))), v.description(description))
const SKIPPED = 'People of the audience who are no recipients, by reason.'

const outcomes = {
  recipients: count('The recipients: one for each address. Each counts for one of the statuses from `queued` to `failed`.', 98),
  queued: count('Not handed to the mail provider yet.'),
  sent: count('Handed over; nothing else is known.', 3),
  delivered: count('Delivered and not opened.', 60),
  opened: count('Opened, and no link was clicked.', 20),
  clicked: count('A link was clicked.', 12),
  bounced: count('Returned by the mail server of the recipient.', 2),
  failed: count('Refused by the mail provider.', 1),
  complained: count('Those who reported the email as spam.'),
  unsubscribed: count('Those who unsubscribed by this campaign.', 1),
}
export const CampaignStats = v.pipe(
  v.object({
    audience: count('The people of the audience that were read so far. At the end: `recipients` and all of `skipped` together.', 100),
    ...outcomes,
    skipped: byReason(SKIPPED),
  }),
  v.description('The recipients by the status that they have now.'),
)
export type CampaignStats = v.InferOutput<typeof CampaignStats>

const AbResult = v.pipe(
  v.nullable(
    v.object({
      winner: v.pipe(
        v.nullable(v.picklist(VARIANTS)),
        v.description('The better subject; null until it is decided, and if nobody waits for it.'),
        v.examples(['b']),
      ),
      decide_at: v.pipe(
        v.nullable(InstantOut),
        v.description('When it is decided; null until the sample has been handed to the mail provider.'),
      ),
      decided_at: v.pipe(v.nullable(InstantOut), v.description('When it was decided.')),
      a: v.pipe(v.object(outcomes), v.description('The recipients who got the first subject, also after the decision.')),
      b: v.pipe(v.object(outcomes), v.description('The recipients who got the second subject.')),
    }),
  ),
  v.description('The outcome of an A/B test so far; null without one. Those who wait for the better subject count for neither.'),
  v.examples([null]),
)
export type AbResult = v.InferOutput<typeof AbResult>

const limit = (text: string) => v.pipe(v.nullable(v.number()), v.description(text), v.examples([null]))

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
    config_id: v.pipe(v.nullable(Id), v.description('The sender; null for the first one of the workspace.')),
    segment_filter: v.pipe(
      v.nullable(v.record(v.string(), v.unknown())),
      v.description('The audience, as it was sent.'),
      v.examples([{ tags: ['Newsletter'] }]),
    ),
    max_per_minute: limit('The most emails per minute; null for as many as possible.'),
    max_per_hour: limit('The most emails per hour; null for as many as possible.'),
    max_per_domain: limit('The most emails per hour to addresses of one mail domain; null for as many as possible.'),
    ab_test: v.pipe(
      v.nullable(
        v.object({
          subject_b: v.pipe(
            v.string(),
            v.description('The second subject, with its merge tags.'),
            v.examples(['News for {{first_name | you}}']),
          ),
          sample_percent: count('How many of the recipients try the subjects, in percent.', 20),
          decide_after_minutes: count('How many minutes after the send to the sample the others get the better subject.', 240),
          by: v.pipe(v.picklist(AB_METRICS), v.description('What makes a subject the better one.')),
        }),
      ),
      v.description('The test of a second subject; null for none.'),
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
    ab_result: AbResult,
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
