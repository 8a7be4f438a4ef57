import { eq, type SQL, sql } from 'drizzle-orm'
import { conversations } from '../../../../schema/index.ts'
import type { Ctx } from '../../../context.ts'
import type { Reference } from '../../../data/bulk.ts'
import { call } from '../../../data/call.ts'
import { db, type Statement } from '../../../data/db.ts'
import { between, visibleSets, visibleSetsOf } from '../../../data/lists.ts'
import { type Keys, page } from '../../../data/page.ts'
import { type Plan, plan, waking } from '../../../data/plan.ts'
import { compiledSelect, oneOrThrow } from '../../../data/query.ts'
import { assertSent, columnsFor, lockForUpdate, updateRows } from '../../../data/store.ts'
import { invalid } from '../../../errors.ts'
import { validateEach, valuesOf } from '../../../schemas/bulk.ts'
import { ownerOf } from '../../members/plans/members.ts'
import { bulkTable, bulkWrite } from '../../records/plans/bulk.ts'
import { updatesOf } from '../../records/plans/updates.ts'
import { INBOX_CHANNELS, INBOX_STATUSES, type StatusChange, snoozeFault } from '../rules/conversations.ts'
import { Conversation, type ConversationPatch, ConversationPatchWithId, type ConversationsQuery } from '../schemas/conversations.ts'

const WHAT = 'conversation'
const fields = columnsFor(conversations, Conversation)
const select = (keys: Keys) => db.select({ ...fields, ...keys }).from(conversations)
const all = compiledSelect(db.select(fields).from(conversations))
const record = (id: string) => oneOrThrow(all.where(eq(conversations.id, id)), WHAT, id)

const idsOf = (ids: string[]) => sql`${`{${ids.join(',')}}`}::uuid[]`
/** Asserts the scopes of the channels that the conversations are in. */
export const assertScopesOf = (ids: string[], action: 'read' | 'write'): Statement => call('assert_conversation_scopes', idsOf(ids), action)
/** The same for the history of a conversation, which may be deleted. */
export const assertHistoryScopes = (id: string): Statement => call('assert_conversation_scopes', idsOf([id]), 'read', true)
const lockInChannels = (ids: string[]): Statement => call('lock_in_channels', idsOf(ids))

/** The expression of the index, in which the greatest id stands for nobody. */
const NOBODY = 'ffffffff-ffff-ffff-ffff-ffffffffffff'
const assignee = sql`(case when ${conversations.assigned_to} is null then ${sql.raw(`'${NOBODY}'`)}::uuid
  else ${conversations.assigned_to} end)`

/**
 * The sets that an index gives in order: the conversations of each channel that the caller may read; those of a member, or of nobody, also
 * by status. The scopes are known in the database only, which reads nothing of a channel without them.
 */
function setsOf({ channel, is_group, status, assigned_to, unassigned, contact_id, sort }: ConversationsQuery): SQL[] {
  const statuses = status ? [status] : assigned_to || unassigned ? INBOX_STATUSES : [undefined]
  const isIndexed = contact_id === undefined && sort.endsWith('last_message_at')
  // Other channels have no groups.
  const channels = channel ? [channel] : is_group ? (['whatsapp'] as const) : INBOX_CHANNELS
  return channels.flatMap((one) =>
    statuses.flatMap((status) => {
      const ofStatus = status ? sql`and status = ${status}` : sql``
      const condition = sql`channel = ${sql.raw(`'${one}'`)} and (select has_scopes(array[${`${one}:read`}])) ${ofStatus}`
      const rows = sql`select * from conversations where ${condition}`
      if (one !== 'email' || !isIndexed) return [rows]
      // One in a mailbox is assigned to the member of the mailbox, or to nobody.
      return assigned_to === undefined ? visibleSets(rows) : visibleSetsOf(assigned_to, rows)
    }),
  )
}

/** Lists conversations of the channels that the caller may read, those with the latest messages first. */
export function listConversations(query: ConversationsQuery) {
  const { assigned_to, unassigned, unread, is_group, contact_id } = query
  const result = page({
    select,
    id: conversations.id,
    where: [
      assigned_to === undefined ? undefined : sql`${assignee} = ${assigned_to}::uuid`,
      unassigned ? sql`${assignee} = ${NOBODY}::uuid` : undefined,
      unread === undefined ? undefined : eq(conversations.unread, unread),
      is_group === undefined ? undefined : eq(conversations.is_group, is_group),
      contact_id === undefined ? undefined : eq(conversations.contact_id, contact_id),
      ...between(conversations.last_message_at, 'last_message', query),
    ],
    sets: setsOf(query),
    sorts: { last_message_at: conversations.last_message_at, updated_at: conversations.updated_at },
    name: 'conversations',
    query,
  })
  return plan([call('assert_inbox_scopes', query.channel ?? null)], result)
}

export const getConversation = (id: string) => plan([assertScopesOf([id], 'read')], record(id))

/** Whoever is assigned must be a current member, and see the conversation. */
const OWNER = ownerOf('conversations')
const ASSIGNEE: Reference = {
  field: 'assigned_to',
  condition: sql`(${OWNER.condition}
    and not exists (select from conversations p where p.id = r.id and p.private_to is not null and p.private_to <> r.assigned_to))`,
  message: 'must be a current member (see GET /company/users); a conversation in a mailbox is assigned to the member of the mailbox only',
}

/** @throws VALIDATION_ERROR for a time that cannot be snoozed until. */
function statusFor(change: StatusChange, now: Date) {
  const message = snoozeFault(change, now)
  if (message) throw invalid([{ path: 'snoozed_until', message }])
  const { status, snoozed_until } = change
  if (snoozed_until) return { status: 'snoozed' as const, snoozed_until }
  return status === undefined ? {} : { status }
}

const rowOf = ({ status, snoozed_until, ...patch }: ConversationPatch, now: Date) => ({
  ...patch,
  ...statusFor({ status, snoozed_until }, now),
})

/** Changes a conversation. Marking it locks its row in the channel first, as a message does that arrives. */
export function updateConversation(ctx: Ctx, id: string, patch: ConversationPatch) {
  const row = rowOf(patch, ctx.now)
  const planned = plan(
    [
      assertScopesOf([id], 'write'),
      patch.unread !== undefined && lockInChannels([id]),
      lockForUpdate(ctx, conversations, id, WHAT),
      assertSent(conversations, { ...row, id }, [ASSIGNEE]),
      updateRows(conversations, row, eq(conversations.id, id)),
    ],
    record(id),
  )
  return sendingReceipts([patch], planned)
}

/** Persons who have written by WhatsApp get read receipts; in groups the provider has none. */
const sendingReceipts = <Out>(patches: Pick<ConversationPatch, 'unread'>[], planned: Plan<Out>): Plan<Out> =>
  patches.some(({ unread }) => unread === false) ? waking('whatsapp.read', planned) : planned

const bulk = bulkTable({ table: conversations, entity: 'conversation', what: WHAT, fields, references: [ASSIGNEE] })

/** Changes up to 100 conversations, each with its own fields. */
export function updateConversations(ctx: Ctx, records: unknown[]) {
  const validated = validateEach(ConversationPatchWithId, records, (patch) => ({ ...rowOf(patch, ctx.now), id: patch.id }))
  const ids = valuesOf(validated).map(({ id }) => id)
  const written = bulkWrite(...updatesOf(bulk, validated, { before: [assertScopesOf(ids, 'write'), lockInChannels(ids)] }))
  return sendingReceipts(valuesOf(validated), written)
}
