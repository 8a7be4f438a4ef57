import { eq, sql } from 'drizzle-orm'
import { contacts, reputationProfiles, reviewRequests } from '../../../../schema/index.ts'
import type { Ctx } from '../../../context.ts'
import { call } from '../../../data/call.ts'
import { db, type Statement } from '../../../data/db.ts'
import { type Plan, plan, waking } from '../../../data/plan.ts'
import { assert, mapResult, plainRows, rows } from '../../../data/query.ts'
import { columnsFor, lockForUpdate, selectFrom, store, updateRows } from '../../../data/store.ts'
import { assertState } from '../../../data/transitions.ts'
import { AppError, invalid } from '../../../errors.ts'
import { newId } from '../../../lib/ids.ts'
import { reviewToken } from '../../../lib/portal-secrets.ts'
import { type Bulk, failure } from '../../../schemas/bulk.ts'
import { readAudience } from '../../campaigns/plans/audience.ts'
import type { SegmentFilter } from '../../campaigns/rules/segment.ts'
import { recipientColumns } from '../../contacts/plans/reachability.ts'
import { readLists } from '../../lists/plans/list-filters.ts'
import { canReach } from '../../messages/rules/reachability.ts'
import { tokenHash } from '../../webhooks/plans/incoming.ts'
import { gatingIn, NO_GATING } from '../rules/review-audience.ts'
import { ASK_AGAIN_DAYS, DEFAULT_REMIND_DAYS, MAX_ASKED_AUDIENCE, REVIEW_REQUEST_TRANSITIONS } from '../rules/review-requests.ts'
import { type AskForReviews, ReviewRequest } from '../schemas/review-requests.ts'

const WHAT = 'review request'
const columns = columnsFor(reviewRequests, ReviewRequest)
const { record } = store(reviewRequests, WHAT, selectFrom<ReviewRequest>(reviewRequests, columns))
const uuids = (ids: string[]) => sql`${`{${ids.join(',')}}`}::uuid[]`

/**
 * The contacts who are to be asked, and what guards the audience that names them. @throws VALIDATION_ERROR for one by satisfaction, or that
 * is too large.
 */
async function peopleOf(ctx: Ctx, { contact_ids, audience }: AskForReviews): Promise<{ ids: string[]; guards: Statement[] }> {
  if (contact_ids) return { ids: [...new Set(contact_ids)], guards: [] }
  const segment = audience as SegmentFilter
  const named = [...new Set([...(segment.list_ids ?? []), ...idsIn(segment.filter)])]
  const gating = gatingIn(segment, named.length > 0 ? await readLists(ctx, named) : [])
  if (gating.length > 0) throw invalid(gating.map((path) => ({ path, message: NO_GATING })))
  const found = await readAudience(ctx, segment, 'audience')
  const select = sql`select array(select id from (${found.ids(MAX_ASKED_AUDIENCE + 1)}) a)`
  const ids = await ctx.readConfirmed(mapResult(plainRows<{ ids: string[] }>(select, ['ids']), ([row]) => row?.ids ?? []))
  if (ids.length > MAX_ASKED_AUDIENCE)
    throw invalid([{ path: 'audience', message: `has more than ${MAX_ASKED_AUDIENCE} contacts: narrow it, and ask in several calls` }])
  // The outcome names who belongs to the audience.
  return { ids, guards: [sql`select assert_scopes(array['contacts:read'])`, ...found.guards] }
}

/** The ids that a filter names as values, among them those of lists. */
const idsIn = (filter: unknown): string[] =>
  [...JSON.stringify(filter ?? null).matchAll(/"([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})"/g)].map(([, id]) => id as string)

const since = sql`now() - make_interval(days => ${ASK_AGAIN_DAYS}::int)`
const factsOf = (ids: string[]) =>
  rows(
    db
      .select({
        ...recipientColumns,
        id: contacts.id,
        asked_at: sql<string | null>`iso(asked_for_review(${contacts.id}, ${since}))`.as('asked_at'),
      })
      .from(contacts)
      .where(sql`${contacts.id} = any(${uuids(ids)})`),
  )
type Facts = ReturnType<ReturnType<typeof factsOf>['decode']>[number]

/** Why a contact cannot be asked. A quiet hour is no reason: the message waits for its end. */
function faultOf(contact: Facts | undefined, channel: AskForReviews['channel'], now: Date): AppError | undefined {
  if (!contact) return new AppError('NOT_FOUND', 'There is no such contact')
  const reach = canReach({ ...contact, zone: 'UTC', quiet_hours: null }, channel, now)
  if (reach.reachable) return undefined
  return new AppError('RECIPIENT_UNREACHABLE', `The contact cannot be reached by ${channel}: ${reach.reason.replaceAll('_', ' ')}`, {
    reason: reach.reason,
    next_allowed_at: null,
  })
}

const ASKED = `It is ${ASK_AGAIN_DAYS} days from one request to the next, and this contact got one`

/** Asks contacts for a review, each by a message with a personal link. One who was asked lately is skipped. */
export async function askForReviews(ctx: Ctx, input: AskForReviews): Promise<Plan<Bulk<ReviewRequest>>> {
  const { channel, message = null, remind_after_days = DEFAULT_REMIND_DAYS } = input
  const { ids, guards } = await peopleOf(ctx, input)
  const facts = ids.length > 0 ? await ctx.readConfirmed(factsOf(ids)) : []
  const byId = new Map(facts.map((one) => [one.id, one]))
  const faults = ids.map((id) => faultOf(byId.get(id), channel, ctx.now))
  const good = ids.filter((id, at) => faults[at] === undefined && byId.get(id)?.asked_at === null)
  const expires_at = new Date(ctx.now.getTime() + ASK_AGAIN_DAYS * 86_400_000).toISOString()
  const reserved = await Promise.all(
    good.map(async (contact_id) => {
      const token_seed = crypto.randomUUID()
      const token_hash = `\\x${await tokenHash(reviewToken(ctx.deployment.linkSecret, token_seed))}`
      return {
        id: newId(),
        contact_id,
        channel,
        message,
        remind_after_days,
        expires_at,
        token_seed,
        token_hash,
      }
    }),
  )
  const stored = rows(
    db
      .select(columns)
      .from(reviewRequests)
      .where(sql`${reviewRequests.id} = any(${uuids(reserved.map(({ id }) => id))})`),
  )
  const isOpen = sql`exists (select from ${reputationProfiles} where ${reputationProfiles.is_published})`
  const isReady = channel === 'email' ? sql`exists (select from email_configs)` : sql`'sms' = any(configured_channels(current_workspace()))`
  return waking(
    'reviews.ask',
    plan(
      [
        ...guards,
        assert(
          isOpen,
          'INVALID_STATE',
          'The page is not published, and its visitors would find nothing: publish it with POST /reputation/profile',
          {
            state: 'not_published',
            allowed: ['published'],
          },
        ),
        assert(isReady, 'CHANNEL_NOT_CONFIGURED', REMEDIES[channel], { channel }),
        reserved.length > 0 && call('ask_for_reviews', JSON.stringify(reserved), ASK_AGAIN_DAYS),
      ],
      mapResult(stored, (decoded) => outcomeOf(ids, faults, decoded as ReviewRequest[], byId)),
    ),
  )
}

const REMEDIES = {
  email: 'This workspace has no email configuration: add one with POST /email/configs',
  sms: 'This workspace has no active phone number: buy one with POST /phone/numbers/buy',
}

function outcomeOf(
  ids: string[],
  faults: (AppError | undefined)[],
  stored: ReviewRequest[],
  byId: Map<string, Facts>,
): Bulk<ReviewRequest> {
  const byContact = new Map(stored.map((request) => [request.contact_id, request]))
  const bulk: Bulk<ReviewRequest> = { results: [], skipped: [], errors: [] }
  for (const [index, id] of ids.entries()) {
    const fault = faults[index]
    const request = byContact.get(id)
    const latest = byId.get(id)?.asked_at
    if (fault) bulk.errors.push(failure(index, fault, id))
    else if (request) bulk.results.push(request)
    else bulk.skipped.push({ index, id, reason: latest ? `${ASKED} at ${latest}` : `${ASKED} by another request at the same time` })
  }
  return bulk
}

/** Asks no more: neither the message nor the reminder is sent, and the link no longer works. */
export const cancelReviewRequest = (ctx: Ctx, id: string): Plan<ReviewRequest> =>
  plan(
    [
      lockForUpdate(ctx, reviewRequests, id, WHAT),
      assertState(reviewRequests, 'status', id, REVIEW_REQUEST_TRANSITIONS.cancel, `The ${WHAT}`),
      updateRows(reviewRequests, { status: 'cancelled', reason: null, due_at: null }, eq(reviewRequests.id, id), { id }),
    ],
    record(id),
  )
