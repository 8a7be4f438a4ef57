import { type Crm, found, type Row } from './crm.ts'
import type { whatsapping } from './whatsapping.ts'

export const ANA = '+61400000002'
export const BEN = '+61400000003'
export const ANAS_CHAT = '61400000002@s.whatsapp.net'

/** Reactions to received messages, and marking them as read. */
export function marking(crm: Crm, wa: ReturnType<typeof whatsapping>) {
  return {
    /** Somebody writes; returns the ids of the message and its chat, and its key at WhatsApp. */
    async received(written: Parameters<typeof wa.receive>[0] = {}): Promise<Row> {
      const { key } = await wa.receive({ from: ANA, ...written })
      const { rows } = await crm.app.owner.query(
        'select id, key_id as key, conversation_id, group_id from whatsapp_messages where workspace_id = $1 and key_id = $2',
        [crm.ws.id, key.id],
      )
      return rows[0]
    },
    react: (id: string, emoji: unknown) => crm.ws.post(`/whatsapp/messages/${id}/reaction`, { emoji }),
    read: (id: string) => crm.ws.patch(`/whatsapp/conversations/${id}`, { unread: false }),
    async messageOf({ id, conversation_id, group_id }: Row): Promise<Row> {
      const path = group_id ? `/whatsapp/groups/${group_id}` : `/whatsapp/conversations/${conversation_id}`
      return (found(await crm.ws.get(`${path}/messages`)) as Row[]).find((one) => one.id === id) as Row
    },
    /** As if the time until the next attempt had gone by, and the messages of the queue were lost. */
    async later(times = 1): Promise<void> {
      for (let n = 0; n < times; n++) {
        for (const table of ['whatsapp_reactions', 'whatsapp_reads'])
          await crm.app.owner.query(`update ${table} set due_at = now() where workspace_id = $1 and due_at is not null`, [crm.ws.id])
        await crm.app.cron('* * * * *')
        await crm.app.drain()
      }
    },
  }
}
