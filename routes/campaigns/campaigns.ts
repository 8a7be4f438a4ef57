import { Hono } from 'hono'
import * as v from 'valibot'
import { emailCampaigns } from '../../schema/index.ts'
import { MOST_READERS } from '../../src/domain/events.ts'
import {
  campaignFields,
  checkCampaign,
  createCampaign,
  deleteCampaign,
  duplicateCampaign,
  getCampaign,
  updateCampaign,
} from '../../src/features/campaigns/plans/campaigns.ts'
import { listClicks, listLinks } from '../../src/features/campaigns/plans/links.ts'
import { streamProgress } from '../../src/features/campaigns/plans/progress.ts'
import { listRecipients, listUnsubscribes, previewCampaignAudience } from '../../src/features/campaigns/plans/recipients.ts'
import {
  pauseCampaign,
  resumeCampaign,
  scheduleCampaign,
  sendCampaign,
  testCampaign,
  unscheduleCampaign,
} from '../../src/features/campaigns/plans/sending.ts'
import { MAX_LINKS } from '../../src/features/campaigns/rules/limits.ts'
import { CampaignAudience, Preflight } from '../../src/features/campaigns/schemas/campaign-audience.ts'
import {
  CampaignClick,
  CampaignLink,
  CampaignRecipient,
  recipientQuery,
  Unsubscribe,
  unsubscribeQuery,
} from '../../src/features/campaigns/schemas/campaign-recipients.ts'
import {
  CampaignCopy,
  CampaignPatch,
  CampaignSchedule,
  CampaignTest,
  campaignFilters,
  EmailCampaign,
  EmailCampaignDetails,
  NewCampaign,
} from '../../src/features/campaigns/schemas/campaigns.ts'
import { NoticeResult } from '../../src/features/messages/schemas/messages.ts'
import { created, listOf, scopes, stream } from '../../src/http/modes.ts'
import { resource } from '../../src/http/resource.ts'
import { type App, endpoints } from '../../src/http/router.ts'
import { Id, pageQuery } from '../../src/schemas/fields.ts'
import { CAMPAIGNS } from '../paths.ts'

export const campaignsRouter = new Hono<App>()
export const campaignsApi = endpoints(campaignsRouter, { path: CAMPAIGNS.campaigns, tag: 'Email Campaigns' })

const params = v.object({ email_campaign_id: Id })
const read = scopes('email-campaigns:read')
const write = scopes('email-campaigns:write')
const ASKS = 'An audience with a filter or lists also takes the scopes to read what they are about, such as `contacts:read`.'
const READY =
  'The campaign must be complete (see GET /email-campaigns/:email_campaign_id/preflight), and its audience must have at least one contact.'

campaignsApi.get(
  '/unsubscribes',
  {
    id: 'listUnsubscribes',
    summary: 'List unsubscribes',
    description: 'Lists who asked for no more email, and whose address was blocked, with the campaign that led to it, the latest first.',
    access: read,
    query: unsubscribeQuery,
    returns: listOf(Unsubscribe),
  },
  ({ query }) => listUnsubscribes(query),
)

resource(campaignsApi, {
  name: 'email_campaign',
  plural: 'email-campaigns',
  table: emailCampaigns,
  returns: EmailCampaign,
  record: EmailCampaignDetails,
  computed: campaignFields,
  list: { filters: campaignFilters },
  get: {
    description: 'With its content and the outcome of its recipients so far, from which its open rate and its click rate follow.',
    plan: getCampaign,
  },
  create: {
    description: `Creates a draft. Only the name is required; the subject, the body and the audience are needed when it is sent. ${ASKS}`,
    body: NewCampaign,
    plan: createCampaign,
  },
  update: {
    description: `Only a draft or a scheduled campaign can be changed; its state stays the same. A scheduled one must stay complete. \
${ASKS}`,
    errors: ['NOT_FOUND', 'CONFLICT', 'PRECONDITION_FAILED', 'INVALID_STATE'],
    body: CampaignPatch,
    plan: updateCampaign,
  },
  remove: {
    description: 'Only a draft, or a campaign that has failed, can be deleted.',
    errors: ['NOT_FOUND', 'PRECONDITION_FAILED', 'INVALID_STATE'],
    plan: deleteCampaign,
  },
  history: true,
})

campaignsApi.get(
  '/:email_campaign_id/preflight',
  {
    id: 'checkEmailCampaign',
    summary: 'Check an email campaign before it is sent',
    description:
      'Lists what keeps it from being sent: missing parts, unknown merge tags, a body without an unsubscribe link or without content, ' +
      'no audience or one without anybody, no sender or one whose address is not verified, a metric of an A/B test that is not tracked.',
    access: read,
    params,
    returns: Preflight,
    errors: ['NOT_FOUND'],
  },
  ({ ctx, params }) => checkCampaign(ctx, params.email_campaign_id),
)
campaignsApi.get(
  '/:email_campaign_id/preview-audience',
  {
    id: 'previewEmailCampaignAudience',
    summary: "Preview an email campaign's audience",
    description: `Returns how many contacts the segment matches now, the first of them, and how many are left out for each reason. ${ASKS}`,
    access: read,
    params,
    returns: CampaignAudience,
    errors: ['NOT_FOUND'],
  },
  ({ ctx, params }) => previewCampaignAudience(ctx, params.email_campaign_id),
)
campaignsApi.get(
  '/:email_campaign_id/progress',
  {
    id: 'streamEmailCampaignProgress',
    summary: "Stream an email campaign's progress",
    description:
      'Sends the state and the numbers of the campaign as server-sent events: a message `progress` at once and whenever they have ' +
      'changed, and `end` when the campaign is not scheduled, being sent or paused any more. ' +
      'Each has as its `data` the fields `status`, `stats`, `scheduled_at`, `started_at`, `ended_at` and `error` of the ' +
      'campaign. A comment is sent at least every minute. The stream ends after five minutes, and as soon as the key may no longer ' +
      `read: connect again. It counts among the ${MOST_READERS} readers of a workspace who may wait for events.`,
    access: read,
    params,
    returns: stream(['text/event-stream'], v.string()),
    errors: ['NOT_FOUND'],
  },
  ({ ctx, params }) => streamProgress(ctx, params.email_campaign_id),
)
campaignsApi.get(
  '/:email_campaign_id/recipients',
  {
    id: 'listEmailCampaignRecipients',
    summary: "List an email campaign's recipients",
    description: 'In the order in which they were added; with `search`, in that of their addresses.',
    access: read,
    params,
    query: recipientQuery,
    returns: listOf(CampaignRecipient),
    errors: ['NOT_FOUND'],
  },
  ({ params, query }) => listRecipients(params.email_campaign_id, query),
)
campaignsApi.get(
  '/:email_campaign_id/links',
  {
    id: 'listEmailCampaignLinks',
    summary: "List an email campaign's links",
    description:
      'Lists the links that recipients have followed, with the number of those who did, the most followed first. ' +
      'It needs `campaign_click_tracking` in the settings when the campaign is sent. ' +
      `Of a campaign the first ${MAX_LINKS} links are recorded.`,
    access: read,
    params,
    query: v.strictObject(pageQuery),
    returns: listOf(CampaignLink),
    errors: ['NOT_FOUND'],
  },
  ({ params, query }) => listLinks(params.email_campaign_id, query),
)
campaignsApi.get(
  '/:email_campaign_id/links/:link_id/recipients',
  {
    id: 'listEmailCampaignLinkRecipients',
    summary: 'List who followed a link of an email campaign',
    description: 'The latest first.',
    access: read,
    params: v.object({ email_campaign_id: Id, link_id: Id }),
    query: v.strictObject(pageQuery),
    returns: listOf(CampaignClick),
    errors: ['NOT_FOUND'],
  },
  ({ params, query }) => listClicks(params.email_campaign_id, params.link_id, query),
)
campaignsApi.post(
  '/:email_campaign_id/send',
  {
    id: 'sendEmailCampaign',
    summary: 'Send an email campaign',
    description:
      'Begins to send it at once, in batches of at most 500, on the broadcast stream of the mail provider. ' +
      `What is sent cannot be taken back. ${READY} Whoever has unsubscribed, bounced or complained is left out, also when that happens ` +
      `while it is sent. ${ASKS}`,
    access: write,
    params,
    returns: EmailCampaignDetails,
    errors: ['NOT_FOUND', 'CONFLICT', 'PRECONDITION_FAILED', 'INVALID_STATE'],
    limits: { rate: 'sends' },
  },
  ({ ctx, params }) => sendCampaign(ctx, params.email_campaign_id),
)
campaignsApi.post(
  '/:email_campaign_id/schedule',
  {
    id: 'scheduleEmailCampaign',
    summary: 'Schedule an email campaign',
    description: `Its send begins within a minute after this time. ${READY} ${ASKS}`,
    access: write,
    params,
    body: CampaignSchedule,
    returns: EmailCampaignDetails,
    errors: ['NOT_FOUND', 'CONFLICT', 'PRECONDITION_FAILED', 'INVALID_STATE'],
  },
  ({ ctx, params, body }) => scheduleCampaign(ctx, params.email_campaign_id, body.scheduled_at),
)
campaignsApi.post(
  '/:email_campaign_id/unschedule',
  {
    id: 'unscheduleEmailCampaign',
    summary: 'Cancel the schedule of an email campaign',
    description: 'It becomes a draft again.',
    access: write,
    params,
    returns: EmailCampaignDetails,
    errors: ['NOT_FOUND', 'PRECONDITION_FAILED', 'INVALID_STATE'],
  },
  ({ ctx, params }) => unscheduleCampaign(ctx, params.email_campaign_id),
)
campaignsApi.post(
  '/:email_campaign_id/pause',
  {
    id: 'pauseEmailCampaign',
    summary: 'Pause an email campaign',
    description: 'No further email is handed to the mail provider. What is sent stays sent.',
    access: write,
    params,
    returns: EmailCampaignDetails,
    errors: ['NOT_FOUND', 'PRECONDITION_FAILED', 'INVALID_STATE'],
  },
  ({ ctx, params }) => pauseCampaign(ctx, params.email_campaign_id),
)
campaignsApi.post(
  '/:email_campaign_id/resume',
  {
    id: 'resumeEmailCampaign',
    summary: 'Resume a paused email campaign',
    description:
      'The remaining recipients get it, except those who have unsubscribed, bounced or complained meanwhile. ' +
      'An A/B test goes on, and is decided now if its time has come.',
    access: write,
    params,
    returns: EmailCampaignDetails,
    errors: ['NOT_FOUND', 'PRECONDITION_FAILED', 'INVALID_STATE'],
  },
  ({ ctx, params }) => resumeCampaign(ctx, params.email_campaign_id),
)
campaignsApi.post(
  '/:email_campaign_id/duplicate',
  {
    id: 'duplicateEmailCampaign',
    summary: 'Duplicate an email campaign',
    description: `Creates a draft with the same content, audience and A/B test. ${ASKS}`,
    access: write,
    params,
    body: CampaignCopy,
    returns: created(EmailCampaignDetails),
    errors: ['NOT_FOUND'],
  },
  ({ ctx, params, body }) => duplicateCampaign(ctx, params.email_campaign_id, body.name),
)
campaignsApi.post(
  '/:email_campaign_id/test-send',
  {
    id: 'testEmailCampaign',
    summary: 'Send an email campaign to one address as a test',
    description: 'The campaign must be complete except for its audience. It adds no recipient, and its unsubscribe link has no effect.',
    access: write,
    params,
    body: CampaignTest,
    returns: NoticeResult,
    errors: ['NOT_FOUND'],
    limits: { rate: 'sends' },
  },
  ({ ctx, params, body }) => testCampaign(ctx, params.email_campaign_id, body),
)
