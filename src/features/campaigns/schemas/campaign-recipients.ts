import * as v from 'valibot'
import { named } from '../../../schemas/common.ts'
import { Enum, Id, InstantOut, pageQuery, SingleLine } from '../../../schemas/fields.ts'
import { VARIANTS } from '../rules/ab-tests.ts'
import { RECIPIENT_STATUSES, UNSUBSCRIBE_REASONS } from '../rules/states.ts'
import { count } from './campaigns.ts'

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
    recipients: count('The recipients who followed the link, each counted once.', 12),
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
    variant: v.pipe(
      v.nullable(v.picklist(VARIANTS)),
      v.description('The subject of an A/B test that the recipient gets. Null without a test, and for those who wait for its outcome.'),
      v.examples([null]),
    ),
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
  variant: v.optional(Enum(VARIANTS)),
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
        '`link_click`: the link in the email. `unsubscribe_header`: the button of the mail program. ' +
          '`hard_bounce`, `complaint`: the address is blocked.',
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
