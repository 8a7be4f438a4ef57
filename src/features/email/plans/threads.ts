import { eq, getTableColumns, type SQL, sql } from 'drizzle-orm'
import { emailAttachments, emailMessages, emailThreads } from '../../../../schema/index.ts'
import type { Ctx } from '../../../context.ts'
import { db } from '../../../data/db.ts'
import { listWhere, sortKeys, visibleSets } from '../../../data/lists.ts'
import { type Keys, type PageQuery, page } from '../../../data/page.ts'
import { plan, read } from '../../../data/plan.ts'
import { assertNoPaths, mapResult, oneOrThrow, plainRows } from '../../../data/query.ts'
import { assertExists, columnsFor } from '../../../data/store.ts'
import { EMAIL_FOLDER, FILE_FOLDER } from '../../../domain/file-names.ts'
import { linkTo } from '../../files/plans/links.ts'
import { MAX_MARKED } from '../rules/emails.ts'
import { EmailMessage } from '../schemas/email-messages.ts'
import { EmailThread, type MarkRead } from '../schemas/emails.ts'

const linked = (id: SQL, name: SQL, from: SQL) =>
  sql<{ id: string; name: string }[]>`(select coalesce(json_agg(json_build_object('id', ${id}, 'name', ${name}) order by l.id), '[]')
    from email_thread_links l join ${from} where l.thread_id = email_threads.id)`

/** The computed fields of a thread. */
export const threadFields = {
  participants: sql<
    string[]
  >`array(select p.email from email_participants p where p.thread_id = email_threads.id order by p.id limit 50)`.as('participants'),
  contacts: linked(sql`c.id`, sql`concat_ws(' ', c.first_name, c.last_name)`, sql`contacts c on c.id = l.contact_id`).as('contacts'),
  deals: linked(sql`d.id`, sql`d.name`, sql`opportunities d on d.id = l.deal_id`).as('deals'),
  customers: linked(sql`m.id`, sql`m.name`, sql`companies m on m.id = l.customer_id`).as('customers'),
}
const columns = columnsFor(emailThreads, EmailThread, threadFields)
const select = (keys: Keys) => db.select({ ...columns, ...keys }).from(emailThreads)

export const THREAD_SORTS = ['last_message_at']
const LINKS = ['contact_id', 'deal_id', 'customer_id'] as const

/** The table and the column by which each of these filters finds threads. */
const BY: Record<string, { table: string; column: string }> = {
  ...Object.fromEntries(LINKS.map((column) => [column, { table: 'email_thread_links', column }])),
  participant: { table: 'email_participants', column: 'email' },
}

/**
 * The threads of a link or a participant as the table is, from indexes in the order of the list. Each is looked up row by row: see setsOf
 * in activity-lists.ts.
 */
function setsOf({ table, column }: { table: string; column: string }, value: unknown): SQL[] {
  const { id: _, last_message_at: __, ...rest } = getTableColumns(emailThreads)
  const others = Object.values(rest).map(({ name }) => sql`t.${sql.identifier(name)}`)
  const rows = sql`select l.thread_id as id, l.last_message_at, ${sql.join(others, sql`, `)} from public.${sql.identifier(table)} l,
    lateral (select * from public.email_threads where workspace_id = l.workspace_id and id = l.thread_id limit 1) t
      where l.${sql.identifier(column)} = ${value}`
  return visibleSets(rows, sql`l.private_to`)
}
const isIn = ({ table, column }: { table: string; column: string }, value: unknown): SQL =>
  sql`exists (select from ${sql.identifier(table)} l where l.thread_id = ${emailThreads.id} and l.${sql.identifier(column)} = ${value})`

const byLastMessage = ({ sort, ids }: Record<string, unknown>) => ids === undefined && String(sort).endsWith('last_message_at')

/** Lists threads, those with the latest messages first. Of several links the first one finds the threads, unless there are search words. */
export function listThreads(params: Record<string, unknown>) {
  const sent = Object.entries(BY).filter(([name]) => params[name] !== undefined)
  const [first, ...others] = params.search === undefined ? sent : [undefined, ...sent]
  const { contact_id: _, ...own } = params
  return read(
    page({
      select,
      id: emailThreads.id,
      where: [
        ...listWhere(emailThreads, { status: null, is_read: null, direction: null }, own),
        ...others.flatMap((other) => (other ? [isIn(other[1], params[other[0]])] : [])),
      ],
      sets: first
        ? setsOf(first[1], params[first[0]])
        : byLastMessage(params)
          ? visibleSets(sql`select * from email_threads where true`)
          : undefined,
      sorts: sortKeys(emailThreads, [...THREAD_SORTS, 'updated_at']),
      name: 'email-threads',
      query: params as PageQuery,
    }),
  )
}

/** Marks threads as read. @throws VALIDATION_ERROR for ids that name no thread. */
export function markThreadsRead({ thread_ids }: MarkRead) {
  const ids = thread_ids
    ? sql`array(select value::uuid from jsonb_array_elements_text(${JSON.stringify(thread_ids)}::jsonb))`
    : sql`null::uuid[]`
  const unknown = sql`array(select 'thread_ids.' || (n - 1) from unnest(${ids}) with ordinality u(id, n)
    where not exists (select from email_threads t where t.id = u.id))`
  const marked = plainRows<{ updated: number; has_more: boolean }>(
    sql`select (r ->> 'updated')::int, (r ->> 'has_more')::boolean from mark_threads_read(${ids}, ${MAX_MARKED}::int) r`,
    ['updated', 'has_more'],
  )
  return plan(
    [thread_ids && assertNoPaths(unknown, 'does not exist in this workspace')],
    mapResult(marked, ([row]) => row as { updated: number; has_more: boolean }),
  )
}

const ledger = <T>(column: SQL) => sql<T>`(select ${column} from messages m where m.id = email_messages.message_id)`
const attachments = sql`email_attachments a where a.email_message_id = email_messages.id`
const messageFields = {
  status: ledger<EmailMessage['status']>(sql`m.status`).as('status'),
  subject: sql<string | null>`coalesce(email_messages.subject, ${ledger(sql`m.subject`)})`.as('subject'),
  body_text: sql<string | null>`coalesce(email_messages.body_text, ${ledger(sql`m.body_text`)})`.as('body_text'),
  body_html: sql<string | null>`coalesce(email_messages.body_html, ${ledger(sql`m.body_html`)})`.as('body_html'),
  attachments: sql<
    EmailMessage['attachments']
  >`(select coalesce(json_agg(json_build_object('id', a.id, 'name', a.name, 'mimeType', a.content_type, 'size', a.size,
    'content_id', a.content_id) order by a.rank, a.id), '[]') from ${attachments})`.as('attachments'),
  has_attachment: sql<boolean>`exists (select from ${attachments})`.as('has_attachment'),
  attachment_filename: sql<string | null>`(select a.name from ${attachments} order by a.rank, a.id limit 1)`.as('attachment_filename'),
}
const messageColumns = columnsFor(emailMessages, EmailMessage, messageFields)
const selectMessages = (keys: Keys) => db.select({ ...messageColumns, ...keys }).from(emailMessages)

/** Lists the messages of a thread, oldest first. */
export function listThreadMessages(threadId: string, query: { limit: number; after?: string | undefined }) {
  const result = page({
    select: selectMessages,
    id: emailMessages.id,
    where: [eq(emailMessages.thread_id, threadId)],
    sorts: { occurred_at: emailMessages.occurred_at },
    name: `email-thread ${threadId}`,
    query: { ...query, sort: 'occurred_at' },
  })
  return plan([assertExists(emailThreads, threadId, 'email thread')], result)
}

/** Returns an attachment with an address that serves it for a minute. */
export function getAttachment(ctx: Ctx, id: string) {
  const { workspace_id, name, content_type, size, source_id, is_stored } = getTableColumns(emailAttachments)
  const found = db
    .select({ workspace_id, id: emailAttachments.id, name, mimeType: content_type, size, source_id, is_stored })
    .from(emailAttachments)
    .where(eq(emailAttachments.id, id))
  return read(
    mapResult(oneOrThrow(found, 'email attachment'), ({ workspace_id: workspace, source_id: source, is_stored: isStored, ...row }) => {
      const place = isStored ? { folder: EMAIL_FOLDER, id } : { folder: FILE_FOLDER, id: source ?? '' }
      const state = isStored || source !== null ? 'stored' : 'deleted'
      return { ...row, ...linkTo(ctx, { ...place, workspace_id: workspace, name: row.name, state }) }
    }),
  )
}
