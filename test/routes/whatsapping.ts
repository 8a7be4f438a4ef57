import type { WhatsAppFault } from '../../dev/whatsapp-faults.ts'
import { messageOf } from '../../dev/whatsapp-messages.ts'
import { type Crm, found, type Row } from './crm.ts'

/** Pairing a phone with the emulated provider, and what people do on their phones. */
export function whatsapping(crm: Crm) {
  const world = () => crm.app.whatsapp.world
  /** The connection of the current workspace. */
  const connection = () => [...world().connections.values()].at(-1)!
  const tools = {
    world,
    connection,
    messageOf,
    /** Posts the webhooks that wait, and lets the queue process them. */
    async flush(options: { twice?: boolean; reversed?: boolean } = {}): Promise<number[]> {
      const statuses: number[] = []
      await world().flush(async ({ url, body }) => {
        const { status } = await tools.post(body, new URL(url).pathname)
        statuses.push(status)
      }, options)
      await crm.app.drain()
      return statuses
    },
    async post(body: unknown, path: string) {
      const response = await crm.app.fetch(path, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: typeof body === 'string' ? body : JSON.stringify(body),
      })
      return { status: response.status, body: (await response.json()) as Row }
    },
    credits: (credits = 100) => crm.app.owner.query("select grant_credits($1, $2, 'test')", [crm.ws.id, credits]),
    pair: async (): Promise<Row> => found(await crm.ws.post('/whatsapp/pair')),
    pairing: async (): Promise<Row> => found(await crm.ws.get('/whatsapp/pairing')),
    /** Pairs a phone, and grants credits. */
    async paired(phone = '61400000001'): Promise<void> {
      await tools.credits()
      await tools.pair()
      world().scan(connection(), phone, 'Harbour Renovations')
      await tools.flush()
    },
    /** Somebody writes to the paired phone. */
    async receive(written: Parameters<typeof messageOf>[0] = {}) {
      const message = world().receive(connection(), messageOf(written))
      await tools.flush()
      return message
    },
    fault: (fault: WhatsAppFault, on = true) => (on ? world().faults.add(fault) : world().faults.delete(fault)),
    /** Lets the watch look again, as if its time had come; a QR code has expired by then. */
    async look(): Promise<Row> {
      await crm.app.owner.query(
        `update whatsapp_pairings set due_at = now() - interval '2 minutes', qr_expires_at = qr_expires_at - interval '2 minutes',
          compared_until = compared_until - interval '10 minutes' where workspace_id = $1`,
        [crm.ws.id],
      )
      await crm.app.cron('* * * * *')
      await crm.app.drain()
      return tools.pairing()
    },
    send: async (body: Row): Promise<Row> => {
      const sent = found(await crm.ws.post('/whatsapp/send', { text: 'Hello Ana', ...body }))
      await crm.app.drain()
      return sent
    },
    conversations: async (query = ''): Promise<Row[]> => found(await crm.ws.get(`/whatsapp/conversations${query && `?${query}`}`)),
    messages: async (id: string): Promise<Row[]> => found(await crm.ws.get(`/whatsapp/conversations/${id}/messages`)),
    /** Makes the messages of the ledger due at once. */
    async again(): Promise<void> {
      await crm.app.owner.query('update messages set due_at = now() where workspace_id = $1 and due_at is not null', [crm.ws.id])
      await crm.app.cron('* * * * *')
      await crm.app.drain()
    },
    ledger: async (id: string): Promise<Row> => found(await crm.ws.get(`/messages/${id}`)),
    balance: async (): Promise<Row> => found(await crm.ws.get('/billing/credits')),
  }
  return tools
}
