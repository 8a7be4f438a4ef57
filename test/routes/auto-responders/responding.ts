import { randomUUID } from 'node:crypto'
import type { TestWorkspace } from '../../workspace.ts'
import { created, type Row, type useCrm } from '../crm.ts'
import { texting } from '../texting.ts'

type Crm = ReturnType<typeof useCrm>
export type Says = { category: string; reply?: string; claims?: { text: string; source: string }[] }

/** Auto responders of phone numbers, and what the model says about a message with a marker. */
export function responding(crm: Crm) {
  const texts = texting(crm)
  return {
    ...texts,
    marker: () => `marker-${randomUUID()}`,
    /** The model sorts the message with this marker, and drafts a reply. */
    says(marker: string, { category, reply, claims = [] }: Says) {
      const turns = [{ text: JSON.stringify({ category }) }]
      if (reply !== undefined) turns.push({ text: JSON.stringify({ reply, claims }) })
      crm.app.models.script(marker, turns)
    },
    /** A knowledge base with one entry. */
    async base(text: string, title = 'Help', ws: TestWorkspace = crm.ws): Promise<{ base: string; entry: string }> {
      const base = created(await ws.post('/knowledge-bases', { name: title })).id as string
      return { base, entry: created(await ws.post(`/knowledge-bases/${base}/ingest-text`, { title, text })).id as string }
    },
    /** The auto responder of a new number, with credits and without quiet hours. */
    async responder(fields: Row = {}, ws: TestWorkspace = crm.ws): Promise<Row & { id: string; number: string }> {
      await texts.grant(1_000, ws)
      await crm.app.owner.query('update crm_settings set quiet_hours = null where workspace_id = $1', [ws.id])
      const number = await texts.number(ws)
      const { rows } = await crm.app.owner.query('select id from phone_numbers where phone_number = $1', [number])
      const identity = { identity_kind: 'phone', identity_ref: rows[0].id }
      const made = created(await ws.post('/auto-responders', { ...identity, enabled: true, mode: 'auto_send', ...fields }))
      return { ...made, id: String(made.id), number }
    },
    /** Lets the burst end, and the queue do what is due. */
    async later(ws: TestWorkspace = crm.ws) {
      await crm.app.owner.query(
        "update auto_replies set due_at = now() - interval '1 second' where workspace_id = $1 and due_at is not null",
        [ws.id],
      )
      await crm.app.deliver('webhooks', [{ type: 'work.run', kind: 'auto_reply.run', workspace_id: ws.id }])
      await crm.app.drain()
    },
    replies: async (ws: TestWorkspace = crm.ws): Promise<Row[]> => {
      const { rows } = await crm.app.owner.query('select * from auto_replies where workspace_id = $1 order by id', [ws.id])
      return rows
    },
  }
}
