import type { TestWorkspace } from '../workspace.ts'
import { type Crm, found, type Row } from './crm.ts'
import { INBOX } from './inbox-oracle.ts'
import type { texting } from './texting.ts'

/** The inbox of the current workspace, and those who write to it. */
export function inboxing(crm: Crm, sms: ReturnType<typeof texting>) {
  const inbox = async (query = '', ws: TestWorkspace = crm.ws) => found(await ws.get(`/conversations${query && `?${query}`}`)) as Row[]
  const idsIn = async (query = '', ws: TestWorkspace = crm.ws) => (await inbox(query, ws)).map(({ id }) => id)
  const read = async (id: string) => found(await crm.ws.get(`/conversations/${id}`)) as Row
  const patch = async (id: string, fields: Row) => found(await crm.ws.patch(`/conversations/${id}`, fields)) as Row
  const events = async (id: string) =>
    (await crm.events(id))
      .filter(({ type }) => /^conversation\.(?!created|updated|deleted)/.test(type))
      .map(({ type, payload }) => [type, payload])
  let last = 0
  const someone = () => `+6142${String(Date.now()).slice(-5)}${String(last++).padStart(2, '0')}`

  /** A number of the workspace, and a contact who has written to it. */
  async function texted(fields: Row = {}) {
    const phone = someone()
    const contact = await crm.contact({ phone, ...fields })
    const number = await sms.number()
    await sms.grant(100)
    const write = async (text: string) => {
      await sms.inbound(phone, number, text)
      await crm.app.drain()
    }
    await write('Hello')
    const [conversation] = await inbox(`contact_id=${contact.id}`)
    return { phone, contact, write, id: conversation?.id as string }
  }

  /** Lets the time of every snooze come. */
  async function elapse() {
    await crm.app.owner.query(
      "update conversations set snoozed_until = now() - interval '1 second' where workspace_id = $1 and status = 'snoozed'",
      [crm.ws.id],
    )
    await Promise.all([crm.app.cron('* * * * *'), crm.app.cron('* * * * *')])
  }

  /** The inbox as the rows of the channels alone fill it. */
  async function filledIn(): Promise<Row[]> {
    const client = await crm.app.owner.connect()
    try {
      await client.query(
        'begin; set local session_replication_role = replica; delete from conversations; update whatsapp_groups set direction = null',
      )
      for (const statement of INBOX) await client.query(statement)
      const { rows } = await client.query('select * from conversations where workspace_id = $1', [crm.ws.id])
      return rows.map((row) => JSON.parse(JSON.stringify(row)))
    } finally {
      await client.query('rollback')
      client.release()
    }
  }
  return { elapse, events, filledIn, idsIn, inbox, patch, read, texted }
}
