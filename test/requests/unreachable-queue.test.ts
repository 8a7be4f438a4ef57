import { expect, test } from 'vitest'
import { approval, held } from '../routes/approving.ts'
import { useCrm } from '../routes/crm.ts'

/** What waits in the queues that can be reached while another one cannot. */
const crm = useCrm({ own: true, unreachable: 'WEBHOOKS' })

/** A file that waits to be fetched, whose queue cannot be reached. It is the first of what a tick enqueues. */
const addFile = () =>
  crm.app.owner.query(
    `begin; set local session_replication_role = replica;
      insert into message_media (workspace_id, sms_message_id, source, due_at)
        values ('${crm.ws.id}', gen_random_uuid(), 'none', now() - interval '1 day');
      commit`,
  )

test('a queue that cannot be reached holds up the work of no other, and is named in the log', async () => {
  const { app, ws } = crm
  const id = await held(ws, 'POST', '/contacts', { first_name: 'Ana', require_approval: true })
  await app.capture(true)
  expect((await ws.post(`/approvals/${id}/approve`)).status).toBe(200)
  await app.capture(false)
  await app.owner.query("update approvals set decided_at = now() - interval '5 minutes' where id = $1", [id])
  // The wake-up message and its repetition by the sweep of events are lost.
  await app.owner.query('update outbox set delivered_at = now() where workspace_id = $1', [ws.id])
  await addFile()
  await app.cron('* * * * *')
  await app.drain()
  expect(await approval(ws, id)).toMatchObject({ status: 'executed' })
  expect(app.logs.filter((line) => line.includes('The queue WEBHOOKS cannot be reached'))).toHaveLength(1)
})
