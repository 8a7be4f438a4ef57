import * as v from 'valibot'
import { named } from '../../../schemas/common.ts'
import { MAX_AUDIENCE_COUNTED, MAX_AUDIENCE_SAMPLE } from '../rules/limits.ts'
import { SKIP_REASONS } from '../rules/states.ts'
import { byReason, count } from './campaigns.ts'

export const AudienceSample = v.object({
  id: v.pipe(v.string(), v.description('The id of the contact.'), v.examples(['01939f6e-8b5a-7c31-9d24-6f0e8a1b2c3d'])),
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
    total: count('The contacts that the segment matches now.', 100),
    total_is_exact: v.pipe(
      v.boolean(),
      v.description(`False if there are more: at most ${MAX_AUDIENCE_COUNTED} are counted.`),
      v.examples([true]),
    ),
    recipients: count('Those of them who would get the email: one for each address.', 98),
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
