import { eq, type SQL, sql } from 'drizzle-orm'
import { smsConversations, smsMessages } from '../../../../schema/index.ts'
import { db } from '../../../data/db.ts'
import { equalTo } from '../../../data/lists.ts'
import { type Keys, page } from '../../../data/page.ts'
import { plan, read } from '../../../data/plan.ts'
import { assertNoPaths, constant, mapResult, oneOrThrow, plainRows } from '../../../data/query.ts'
import { assertExists, columnsFor } from '../../../data/store.ts'
import { chargeFor } from '../../billing/rules/credits.ts'
import { mediaOf } from '../../message-media/plans/files.ts'
import { MAX_MARKED_SMS, smsSize } from '../rules/sms.ts'
import { type conversationFilters, SmsConversation, type SmsMarkRead, SmsMessage, type SmsSegmentsQuery } from '../schemas/sms.ts'

type Page = { limit: number; after?: string | undefined }
type Filters = { [Name in keyof typeof conversationFilters]?: string | boolean | undefined }

const columns = columnsFor(smsConversations, SmsConversation)
const conversations = (keys: Keys) => db.select({ ...columns, ...keys }).from(smsConversations)

/** Lists conversations, those with the latest messages first. */
export function listConversations({ limit, after, ...filters }: Page & Filters) {
  return read(
    page({
      select: conversations,
      id: smsConversations.id,
      where: equalTo(smsConversations, filters),
      sorts: { last_message_at: smsConversations.last_message_at },
      name: `sms conversations ${JSON.stringify(filters)}`,
      query: { limit, after, sort: '-last_message_at' },
    }),
  )
}

export const getConversation = (id: string) =>
  read(oneOrThrow(db.select(columns).from(smsConversations).where(eq(smsConversations.id, id)), 'SMS conversation', id))

const ledger = <T>(column: SQL) => sql<T>`(select ${column} from messages m where m.id = ${smsMessages.message_id})`
const messageFields = {
  text: sql<string>`coalesce(${smsMessages.body}, ${ledger(sql`m.body_text`)}, '')`.as('text'),
  status: ledger<SmsMessage['status']>(sql`m.status`).as('status'),
  delivery_status: ledger<SmsMessage['delivery_status']>(sql`m.delivery_status`).as('delivery_status'),
  error: ledger<string | null>(sql`m.error`).as('error'),
  segments: ledger<number | null>(sql`m.segments`).as('segments'),
  credits: ledger<number | null>(sql`m.credits`).as('credits'),
  media: mediaOf('sms_message_id', sql`sms_messages.id`),
}
export const messageColumns = columnsFor(smsMessages, SmsMessage, messageFields)
const selectMessages = (keys: Keys) => db.select({ ...messageColumns, ...keys }).from(smsMessages)

/** Lists the messages of a conversation, oldest first. */
export function listConversationMessages(id: string, query: Page) {
  const result = page({
    select: selectMessages,
    id: smsMessages.id,
    where: [eq(smsMessages.conversation_id, id)],
    sorts: { occurred_at: smsMessages.occurred_at },
    name: `sms conversation ${id}`,
    query: { ...query, sort: 'occurred_at' },
  })
  return plan([assertExists(smsConversations, id, 'SMS conversation')], result)
}

/** Marks conversations as read. @throws VALIDATION_ERROR for ids that name no conversation. */
export function markConversationsRead({ conversation_ids }: SmsMarkRead) {
  const ids = conversation_ids
    ? sql`array(select value::uuid from jsonb_array_elements_text(${JSON.stringify(conversation_ids)}::jsonb))`
    : sql`null::uuid[]`
  const unknown = sql`array(select 'conversation_ids.' || (n - 1) from unnest(${ids}) with ordinality u(id, n)
    where not exists (select from sms_conversations c where c.id = u.id))`
  const marked = plainRows<{ updated: number; has_more: boolean }>(
    sql`select (r ->> 'updated')::int, (r ->> 'has_more')::boolean from mark_conversations_read(${ids}, ${MAX_MARKED_SMS}::int) r`,
    ['updated', 'has_more'],
  )
  return plan(
    [conversation_ids && assertNoPaths(unknown, 'does not exist in this workspace')],
    mapResult(marked, ([row]) => row as { updated: number; has_more: boolean }),
  )
}

/** Returns how a text is encoded, and what it costs as an SMS, or with files as an MMS. */
export function countSegments({ text, with_files }: SmsSegmentsQuery) {
  const size = smsSize(text)
  const { credits } = chargeFor('sms', size.segments, with_files)
  return read(constant({ ...size, credits }))
}
