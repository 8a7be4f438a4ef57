import { beforeEach, expect, test } from 'vitest'
import { type Row, useCrm } from './crm.ts'
import { whatsapping } from './whatsapping.ts'

/** Receipts that come while the outcome of their message is being stored. */
const crm = useCrm({ ownServer: true })
const wa = whatsapping(crm)
beforeEach(() => crm.app.whatsapp.clear())

const ANA = '+61400000002'
const path = () => new URL(wa.connection().webhook!.url).pathname
const receipt = (keyId: string, status: string) => wa.post({ event: 'messages.update', data: { keyId, fromMe: true, status } }, path())
const typesOf = async ({ id }: Row) => (await crm.events(id)).map(({ type }) => type).toSorted()

test('a receipt that comes before the outcome of its message is in the ledger, and announced', async () => {
  await wa.paired()
  crm.app.whatsapp.fail('message/sendText', 'drop', 1, true)
  const sent = await wa.send({ to_phone: ANA })
  wa.world().held.length = 0
  expect(await wa.ledger(sent.id)).toMatchObject({ status: 'unclear', delivery_status: null })
  await receipt(wa.world().sent[0]!.id, 'DELIVERY_ACK')
  await crm.app.drain()
  await wa.again()
  expect(await wa.ledger(sent.id)).toMatchObject({ status: 'sent', delivery_status: 'delivered' })
  expect(await wa.messages(sent.conversation_id)).toMatchObject([{ status: 'delivered' }])
  expect(await typesOf(sent)).toEqual(expect.arrayContaining(['message.delivered', 'message.sent']))
  await receipt(wa.world().sent[0]!.id, 'READ')
  await crm.app.drain()
  expect(await wa.ledger(sent.id)).toMatchObject({ delivery_status: 'read' })
})

/** Whether a session waits for this one. */
async function untilBlocked(pid: number, isOver: () => boolean): Promise<void> {
  const waiting = 'select from pg_stat_activity where datname = current_database() and $1 = any (pg_blocking_pids(pid))'
  while (!isOver() && (await crm.app.owner.query(waiting, [pid])).rowCount === 0);
}

test.each([
  ['of a message that was sent from here', true],
  ['of one that was sent at the phone', false],
])('a receipt that comes at the same time as the outcome is not lost: %s', async (_, isOurs) => {
  await wa.paired()
  crm.app.whatsapp.fail('message/sendText', 'drop', 1, true)
  const { id, conversation_id } = await wa.send({ to_phone: ANA })
  const [key, other] = [wa.world().sent[0]!.id, 'FROMTHEPHONE1']
  wa.world().held.length = 0
  const client = await crm.app.owner.connect()
  const { rows } = await client.query('select pg_backend_pid() as pid')
  await client.query('begin')
  await client.query("select set_config('app.workspace_id', $1, true)", [crm.ws.id])
  if (isOurs) await client.query("update messages set status = 'sent', due_at = null, provider_message_id = $2 where id = $1", [id, key])
  else {
    const message = { key_id: other, phone: ANA, from_me: true, type: 'text', text: 'By hand', at: new Date().toISOString() }
    await client.query("select receive_whatsapp_messages($1, $2, '{}', 0)", [crm.ws.id, JSON.stringify([message])])
  }
  let isOver = false
  const received = receipt(isOurs ? key : other, 'READ')
    .then(() => crm.app.drain())
    .finally(() => {
      isOver = true
    })
  await untilBlocked(rows[0].pid, () => isOver)
  await client.query('commit')
  client.release()
  await received
  await crm.app.drain()
  const shown = (await wa.messages(conversation_id)).find(({ message_id }) => (message_id === id) === isOurs)
  expect(shown).toMatchObject({ status: 'read' })
  if (isOurs) expect(await wa.ledger(id)).toMatchObject({ status: 'sent', delivery_status: 'read' })
})
