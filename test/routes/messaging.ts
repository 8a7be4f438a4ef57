import { randomUUID } from 'node:crypto'
import { type Crm, found, type Row } from './crm.ts'

/** Reserving messages as a caller within a transaction does, and letting the background work. */
export function messaging(crm: Crm) {
  /** Runs statements as the background does, in one transaction in the workspace. */
  async function inWorkspace(query: string, values: unknown[]) {
    const client = await crm.app.owner.connect()
    try {
      await client.query('begin')
      await client.query("select set_config('app.workspace_id', $1, true)", [crm.ws.id])
      const { rows } = await client.query(query, values)
      await client.query('commit')
      return rows
    } finally {
      client.release()
    }
  }

  return {
    /** Reserves an email to a contact; returns the message's id. */
    async reserve(contact: Row, fields: Row = {}): Promise<string> {
      const id = randomUUID()
      const message = {
        id,
        channel: 'email',
        purpose: 'automation',
        contact_id: contact.id,
        recipient: contact.email,
        subject: 'Offer',
        body_text: 'Hello',
      }
      await inWorkspace('select reserve_messages($1)', [JSON.stringify([{ ...message, dedupe_key: `test:${id}`, ...fields }])])
      return id
    },
    claim: () => inWorkspace('select claim_messages($1, 20, 300)', [crm.ws.id]),
    wake: () => crm.app.deliver('messages', [{ type: 'work.run', kind: 'messages.send', workspace_id: crm.ws.id }]),
    /** As if minutes had gone by, and the cron job came. */
    async later(at = new Date()) {
      await crm.app.owner.query('update messages set due_at = now() where due_at is not null and workspace_id = $1', [crm.ws.id])
      await crm.app.cron('* * * * *', at)
      await crm.app.drain()
    },
    message: async (id: string) => found(await crm.ws.get(`/messages/${id}`)),
    emailsTo: (address: string): Row[] => crm.app.email.sent.filter(({ To }) => To === address),
  }
}
