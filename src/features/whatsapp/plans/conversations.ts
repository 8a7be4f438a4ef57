import { eq, type SQL, sql } from 'drizzle-orm'
import { whatsappConversations, whatsappGroups, whatsappMessages } from '../../../../schema/index.ts'
import type { Ctx } from '../../../context.ts'
import { call } from '../../../data/call.ts'
import { db } from '../../../data/db.ts'
import { listWhere, sortKeys } from '../../../data/lists.ts'
import { type Keys, type PageQuery, page } from '../../../data/page.ts'
import { plan, read, waking } from '../../../data/plan.ts'
import { assertField, oneOrThrow } from '../../../data/query.ts'
import { assertExists, columnsFor, lockForUpdate, updateRows } from '../../../data/store.ts'
import { LINKED_MESSAGES } from '../rules/conversations.ts'
import {
  conversationFilters,
  type GroupLink,
  groupFilters,
  WhatsAppConversation,
  type WhatsAppConversationPatch,
  WhatsAppGroup,
  WhatsAppGroupDetails,
} from '../schemas/whatsapp.ts'
import { messageColumns } from './message-columns.ts'

export const INBOX_SORTS = ['last_message_at']

const conversation = columnsFor(whatsappConversations, WhatsAppConversation)
const group = columnsFor(whatsappGroups, WhatsAppGroup)
const groupDetails = columnsFor(whatsappGroups, WhatsAppGroupDetails)
const conversations = (keys: Keys) => db.select({ ...conversation, ...keys }).from(whatsappConversations)
const groups = (keys: Keys) => db.select({ ...group, ...keys }).from(whatsappGroups)

/** Lists conversations, those with the latest messages first. */
export const listConversations = (params: Record<string, unknown>) =>
  read(
    page({
      select: conversations,
      id: whatsappConversations.id,
      where: listWhere(whatsappConversations, conversationFilters, params),
      sorts: sortKeys(whatsappConversations, [...INBOX_SORTS, 'updated_at']),
      name: 'whatsapp-conversations',
      query: params as PageQuery,
    }),
  )

/** Lists groups, those with the latest messages first. */
export const listGroups = (params: Record<string, unknown>) =>
  read(
    page({
      select: groups,
      id: whatsappGroups.id,
      where: listWhere(whatsappGroups, groupFilters, params),
      sorts: sortKeys(whatsappGroups, [...INBOX_SORTS, 'updated_at']),
      name: 'whatsapp-groups',
      query: params as PageQuery,
    }),
  )

/** Marks a conversation as read or unread, or archives it. */
export function updateConversation(ctx: Ctx, id: string, patch: WhatsAppConversationPatch) {
  const is = eq(whatsappConversations.id, id)
  const row = { ...patch, ...(patch.unread === false && { unread_count: 0 }) }
  const planned = plan(
    [lockForUpdate(ctx, whatsappConversations, id, 'whatsapp conversation'), updateRows(whatsappConversations, row, is)],
    oneOrThrow(db.select(conversation).from(whatsappConversations).where(is), 'whatsapp conversation', id),
  )
  // The other person gets read receipts.
  return patch.unread === false ? waking('whatsapp.read', planned) : planned
}

const selectMessages = (keys: Keys) => db.select({ ...messageColumns, ...keys }).from(whatsappMessages)
type Query = { limit: number; after?: string | undefined }

const messagesOf = (name: string, where: SQL, query: Query) =>
  page({
    select: selectMessages,
    id: whatsappMessages.id,
    where: [where],
    sorts: { occurred_at: whatsappMessages.occurred_at },
    name,
    query: { ...query, sort: 'occurred_at' },
  })

/** Lists the messages of a conversation, oldest first. */
export const listConversationMessages = (id: string, query: Query) =>
  plan(
    [assertExists(whatsappConversations, id, 'whatsapp conversation')],
    messagesOf(`whatsapp-conversation ${id}`, eq(whatsappMessages.conversation_id, id), query),
  )

/** Lists the messages of a group, oldest first. */
export const listGroupMessages = (id: string, query: Query) =>
  plan([assertExists(whatsappGroups, id, 'whatsapp group')], messagesOf(`whatsapp-group ${id}`, eq(whatsappMessages.group_id, id), query))

const groupWithMembers = (id: string) =>
  oneOrThrow(db.select(groupDetails).from(whatsappGroups).where(eq(whatsappGroups.id, id)), 'whatsapp group', id)

/** Returns a group with its members. */
export const getGroup = (id: string) => read(groupWithMembers(id))

const exists = (table: string, id: string | undefined) =>
  id === undefined ? sql`true` : sql`exists (select from ${sql.identifier(table)} where id = ${id}::uuid)`

/**
 * Links a group to a deal or a company, so that its messages are on that timeline. @throws VALIDATION_ERROR for one that does not exist.
 */
export const linkGroup = (ctx: Ctx, id: string, { deal_id, customer_id }: GroupLink) =>
  plan(
    [
      lockForUpdate(ctx, whatsappGroups, id, 'whatsapp group'),
      assertField(exists('opportunities', deal_id), 'deal_id', 'deal_id does not exist in this workspace'),
      assertField(exists('companies', customer_id), 'customer_id', 'customer_id does not exist in this workspace'),
      call('link_whatsapp_group', id, deal_id ?? null, customer_id ?? null, LINKED_MESSAGES),
    ],
    groupWithMembers(id),
  )

/** Removes the links of a group, which stays in the inbox. What is on a timeline already stays there. */
export const unlinkGroup = (ctx: Ctx, id: string) =>
  plan(
    [
      lockForUpdate(ctx, whatsappGroups, id, 'whatsapp group'),
      updateRows(whatsappGroups, { linked_deal_id: null, linked_customer_id: null }, eq(whatsappGroups.id, id)),
    ],
    groupWithMembers(id),
  )
