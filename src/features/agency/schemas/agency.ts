import * as v from 'valibot'
import { named } from '../../../schemas/common.ts'
import { describe, Id, InstantOut, pageQuery, QueryBool, QueryInt } from '../../../schemas/fields.ts'
import { CLIENTS_PER_PAGE, SETUP_STEPS, SYNC_STATUSES } from '../rules/agency.ts'

const text = (what: string, example: string) => v.pipe(v.nullable(v.string()), v.description(what), v.examples([example]))
const count = (what: string, example = 2) => v.pipe(v.number(), v.integer(), v.description(what), v.examples([example]))
const instant = (what: string) => v.nullable(describe(InstantOut, what))
const currency = v.pipe(v.string(), v.description('The currency of all amounts of the agency (ISO 4217).'), v.examples(['AUD']))

export const Agency = named(
  'Agency',
  v.object({
    id: describe(Id, 'The id of the agency’s workspace.'),
    name: v.pipe(v.string(), v.description('The name of the agency.'), v.examples(['Harbour Agency'])),
    commission_percent: v.pipe(
      v.number(),
      v.description('The share of what clients pay that the platform pays to the agency, in percent.'),
      v.examples([20]),
    ),
    currency,
    signup_url: text('Where clients of the agency sign up.', 'https://example.com/join'),
    client_count: count('The clients that the agency looks after.'),
    template_count: count('The workspaces from which new ones are made.', 1),
  }),
)
export type Agency = v.InferOutput<typeof Agency>

export const clientQuery = v.strictObject({
  ...pageQuery,
  limit: v.optional(describe(QueryInt(1, CLIENTS_PER_PAGE), 'The size of a page.', CLIENTS_PER_PAGE), CLIENTS_PER_PAGE),
  is_template: v.optional(describe(QueryBool, 'Only templates, or only clients.', false)),
})

export const AgencyClient = named(
  'AgencyClient',
  v.object({
    client_id: describe(Id, 'The id of the client’s workspace.'),
    name: v.pipe(v.string(), v.description('The name of the workspace.'), v.examples(['Bright Roofs'])),
    is_template: v.pipe(v.boolean(), v.description('Whether it is a template, from which new workspaces are made.')),
    brought_in_by: v.nullable(describe(Id, 'The member of the agency who has brought in the client.')),
    linked_at: describe(InstantOut, 'Since when the agency looks after the client.'),
    plan: text('The plan for which the client pays.', 'growth'),
    amount_paid: v.pipe(v.number(), v.description('What the client has paid, refunds subtracted.'), v.examples([1250.5])),
    trial_ends_at: instant('Until when it need not pay yet.'),
    user_count: v.nullable(count('How many active members its workspace has.', 4)),
    website_url: text('Its website.', 'https://example.com'),
    last_activity_at: instant('When a key of its workspace was last used, to five minutes.'),
    open_service_requests: v.nullable(count('How many of its service requests are open: at most 1,000 are counted.', 1)),
    unfinished_setup: v.pipe(
      v.nullable(v.array(v.picklist(SETUP_STEPS))),
      v.description('What its setup lacks.'),
      v.examples([['mailbox', 'calendar']]),
    ),
    checked_at: instant('When these figures were last read, which happens every hour; null, like them, until the first time.'),
  }),
)
export type AgencyClient = v.InferOutput<typeof AgencyClient>

const WebsiteSync = v.object({
  id: Id,
  status: v.pipe(v.picklist(SYNC_STATUSES), v.description('How far it is.'), v.examples(['published'])),
  commit: text('The version of the source.', '4f2a9c1'),
  preview_url: text('Where the result can be looked at.', 'https://preview.example.com/4f2a9c1'),
  log_tail: text('Of a build that has failed: the end of its log, at most 4 KB, without secrets.', 'Error: no such file'),
  started_at: describe(InstantOut, 'When it began.'),
  ended_at: instant('When it ended.'),
})
export const AgencyWebsite = named(
  'AgencyWebsite',
  v.object({
    id: Id,
    client_id: describe(Id, 'The id of the client’s workspace.'),
    name: v.pipe(v.string(), v.description('What the website is called.'), v.examples(['Main website'])),
    repository: v.pipe(v.string(), v.description('Where its source is.'), v.examples(['https://git.example.com/bright-roofs'])),
    branch: v.pipe(v.string(), v.description('The branch that is built.'), v.examples(['main'])),
    created_at: describe(InstantOut, 'When it was added.'),
    syncs: v.pipe(v.array(WebsiteSync), v.description('Its latest syncs, at most five, latest first.')),
  }),
)
export type AgencyWebsite = v.InferOutput<typeof AgencyWebsite>
export const websiteQuery = v.strictObject({ ...pageQuery, client_id: v.optional(describe(Id, 'Only those of this client.')) })
