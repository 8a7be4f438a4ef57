import { type SQL, sql } from 'drizzle-orm'
import { messages } from '../../../../schema/index.ts'
import { db } from '../../../data/db.ts'
import { listWhere, sortKeys, visibleSets } from '../../../data/lists.ts'
import { type Keys, type PageQuery, page } from '../../../data/page.ts'
import { read } from '../../../data/plan.ts'
import { columnsFor, store } from '../../../data/store.ts'
import { CHANNELS } from '../rules/messages.ts'
import { Message, MessageDetails, messageFilters } from '../schemas/messages.ts'

/** Returns a message with its text. */
export const getMessage = store(messages, 'message', db.select(columnsFor(messages, MessageDetails)).from(messages)).get

export const MESSAGE_SORTS = ['created_at', 'updated_at']
const columns = columnsFor(messages, Message)
const select = (keys: Keys) => db.select({ ...columns, ...keys }).from(messages)

/**
 * The emails that the caller may see, for lists by creation with no other filter than the status: only for these an index leads past what
 * is private to others.
 */
export function emailSets(query: Record<string, unknown>): SQL[] | undefined {
  const isIndexed = String(query.sort).endsWith('created_at') && OTHERS.every((name) => query[name] === undefined)
  return isIndexed ? visibleSets(sql`select * from messages where channel = 'email'`) : undefined
}
const OTHERS = ['ids', 'contact_id', 'deal_id', 'purpose', 'provider']

/** The messages of each channel, of which only emails are private. */
function setsOf(query: Record<string, unknown>): SQL[] | undefined {
  if (query.channel === 'email') return emailSets(query)
  const emails = query.channel === undefined && query.status === undefined ? emailSets(query) : undefined
  const others = CHANNELS.filter((channel) => channel !== 'email')
  return emails && [...emails, ...others.map((channel) => sql`select * from messages where channel = ${sql.raw(`'${channel}'`)}`)]
}

export const listMessages = (query: Record<string, unknown>) =>
  read(
    page({
      select,
      id: messages.id,
      where: listWhere(messages, messageFilters, query),
      sets: setsOf(query),
      sorts: sortKeys(messages, MESSAGE_SORTS),
      name: 'messages',
      query: query as PageQuery,
    }),
  )
