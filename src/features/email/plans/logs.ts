import { eq } from 'drizzle-orm'
import { messages } from '../../../../schema/index.ts'
import { db } from '../../../data/db.ts'
import { listWhere, sortKeys } from '../../../data/lists.ts'
import { type Keys, type PageQuery, page } from '../../../data/page.ts'
import { read } from '../../../data/plan.ts'
import { emailSets } from '../../messages/plans/messages.ts'
import { emailLogFilters } from '../schemas/emails.ts'
import { emailLogColumns } from './dispatch.ts'

export const LOG_SORTS = ['created_at', 'updated_at']
const select = (keys: Keys) => db.select({ ...emailLogColumns, ...keys }).from(messages)

/** Lists the emails of the send ledger: those of conversations, and those that automations, birthdays and notices have sent. */
export const listEmailLogs = (params: Record<string, unknown>) => {
  const { type, ...others } = params as PageQuery
  const query = { ...others, purpose: type }
  return read(
    page({
      select,
      id: messages.id,
      where: [eq(messages.channel, 'email'), ...listWhere(messages, { ...emailLogFilters, purpose: null }, query)],
      sets: emailSets(query),
      sorts: sortKeys(messages, LOG_SORTS),
      name: 'email-logs',
      query: { ...others, type },
    }),
  )
}
