import { expect, test } from 'vitest'
import { MAX_ATTEMPTS, MAX_DAILY, MAX_MESSAGE_BYTES } from '../../src/features/dead-letters/rules/dead-letters.ts'
import { newId } from '../../src/lib/ids.ts'
import { created, failed, found, ids, type Row, refused, useCrm } from './crm.ts'
import { useImports } from './importing.ts'
import { automationIn, scheduling } from './scheduling.ts'

const crm = useCrm({ own: true })
const { uploaded } = useImports(crm)

const letters = async (query = '') => found(await crm.ws.get(`/dead-letters${query}`)) as Row[]
/** The last attempt fails, and the message moves to the dead-letter queue. */
async function dies(queue: string, message: Row) {
  const { retryMessages } = await crm.app.deliver(queue, [message], MAX_ATTEMPTS)
  expect(retryMessages).toHaveLength(1)
  expect((await crm.app.deliver(`${queue}-dead`, [message])).explicitAcks).toHaveLength(1)
}
async function replayed(id: string): Promise<Row> {
  const letter = found(await crm.ws.post(`/dead-letters/${id}/replay`))
  expect(letter).toMatchObject({ id, status: 'replayed', replayed_at: expect.any(String) })
  await crm.app.drain()
  return letter
}
const change = (text: string, ...values: unknown[]) => crm.app.owner.query(text, values)

test('an approval whose message fails is a dead letter with its error, and is executed when it is replayed', async () => {
  const { body } = await crm.ws.post('/contacts', { first_name: 'Ana', require_approval: true })
  const { rows } = await change('select request from approvals where id = $1', body.approval_id)
  await change(
    "update approvals set status = 'approved', decided_key_id = key_id, decided_at = now(), request = 'null' where id = $1",
    body.approval_id,
  )
  const message = { type: 'work.run', kind: 'approval.run', workspace_id: crm.ws.id, item_id: body.approval_id }
  await dies('approvals', message)
  const statusOf = async () => found(await crm.ws.get(`/approvals/${body.approval_id}`)).status
  expect((await change('select status from approvals where id = $1', body.approval_id)).rows).toEqual([{ status: 'failed' }])
  const [letter, ...others] = await letters()
  expect(others).toEqual([])
  expect(letter).toMatchObject({
    queue: 'approvals',
    type: 'approval.run',
    message,
    status: 'open',
    attempts: MAX_ATTEMPTS,
    replayed_at: null,
    last_error: expect.stringContaining('TypeError'),
  })
  expect(found(await crm.ws.get(`/dead-letters/${letter!.id}`))).toEqual(letter)
  await change('update approvals set request = $2 where id = $1', body.approval_id, rows[0].request)
  await replayed(letter!.id)
  expect(await statusOf()).toBe('executed')
  await replayed(letter!.id)
  expect(await crm.count('contacts')).toBe(1)
})

test('an import, a fire and a request to an incoming webhook continue when their message is replayed', async () => {
  const { id: importId } = await uploaded('email\na@example.com\nb@example.com\n')
  const mapping = (await change('select mapping from imports where id = $1', importId)).rows[0].mapping
  await change("update imports set state = 'running', run_key_id = $2, mapping = 'null' where id = $1", importId, crm.ws.keyId)
  await change("update import_files set phase = 'run' where import_id = $1", importId)
  await dies('imports', { type: 'work.run', kind: 'import.run', workspace_id: crm.ws.id, item_id: importId })
  await change('update imports set mapping = $2 where id = $1', importId, JSON.stringify(mapping))

  const it = scheduling(crm.app, crm.ws, await automationIn(crm.app, crm.ws))
  const { id: scheduleId } = await it.schedule({ is_active: false })
  const runId = newId()
  await change(
    `insert into schedule_runs (workspace_id, id, schedule_id, settings)
      select workspace_id, $2, id, jsonb_build_object('audience_type', audience_type,
      'audience_filter', audience_filter, 'automation_id', automation_id, 'timezone', timezone,
        'spread_minutes', 0, 'deliver_at_local', null)
      from auto_schedules where id = $1`,
    scheduleId,
    runId,
  )
  // As messages of the previous release were.
  await crm.app.deliver('imports-dead', [{ type: 'schedule.run', workspace_id: crm.ws.id, schedule_run_id: runId }])

  const hook = created(
    await crm.ws.post('/incoming-webhooks', { name: 'Form', action: 'upsert_contact', mapping: { email: 'email', first_name: 'name' } }),
  )
  const requestId = newId()
  await change(
    'insert into incoming_requests (workspace_id, id, webhook_id, payload) values ($1, $2, $3, $4)',
    ...[crm.ws.id, requestId, hook.id, { email: 'c@example.com', name: 'Cy' }],
  )
  await crm.app.deliver('webhooks-dead', [{ type: 'work.run', kind: 'incoming.run', workspace_id: crm.ws.id, item_id: requestId }])

  const states = async () => [
    found(await crm.ws.get(`/imports/${importId}`)).state,
    (await it.fires(scheduleId))[0]?.status,
    found(await crm.ws.get(`/incoming-webhooks/${hook.id}/requests/${requestId}`)).state,
  ]
  expect(await states()).toEqual(['failed', 'failed', 'failed'])
  const open = await letters('?status=open')
  expect(open.map(({ type, last_error, attempts }) => [type, last_error === null, attempts])).toEqual([
    ['incoming.run', true, MAX_ATTEMPTS],
    ['schedule.run', true, MAX_ATTEMPTS],
    ['import.run', false, MAX_ATTEMPTS],
  ])
  const unknown = newId()
  const sent = [...ids(open), ids(open)[0], unknown, 'x']
  const { results, skipped, errors } = found(await crm.ws.post('/dead-letters/bulk-replay', { ids: sent }))
  expect(results.map(({ id, status }: Row) => [id, status])).toEqual(ids(open).map((id) => [id, 'replayed']))
  expect(skipped).toMatchObject([{ index: 3, id: ids(open)[0] }])
  expect(errors).toMatchObject([
    { index: 4, id: unknown, error: { code: 'NOT_FOUND' } },
    { index: 5, error: { code: 'VALIDATION_ERROR' } },
  ])
  await crm.app.drain()
  expect(await states()).toEqual(['finished', 'completed', 'done'])
  expect(await letters('?status=open')).toEqual([])
  // What has failed by itself is not begun again.
  await change("update incoming_requests set state = 'failed', error_code = 'VALIDATION_ERROR' where id = $1", requestId)
  await replayed(open[0]!.id)
  expect((await states())[2]).toBe('failed')
})

test('malformed messages are stored in the workspace that they name, once, and within bounds', async () => {
  const malformed = { type: 'work.run', kind: 'import.run', workspace_id: crm.ws.id, item_id: 7 }
  const ofNothing = { type: 'work.run', kind: 'import.run', workspace_id: crm.ws.id }
  const bodies = [
    malformed,
    ofNothing,
    { workspace_id: crm.ws.id },
    { workspace_id: crm.ws.id, text: 'a\0b' },
    { workspace_id: crm.ws.id, text: 'x'.repeat(MAX_MESSAGE_BYTES) },
    { workspace_id: newId() },
    { type: 'work.run', kind: 'events.deliver', workspace_id: 'x' },
    ...[null, 7, 'text', []],
  ]
  for (const attempts of [1, 2]) {
    const { explicitAcks, retryMessages } = await crm.app.deliver('imports', bodies, attempts)
    expect([explicitAcks.length, retryMessages]).toEqual([bodies.length, []])
  }
  const stored = await letters()
  expect(stored.map(({ message }) => message)).toEqual([{ workspace_id: crm.ws.id }, ofNothing, malformed])
  expect(stored[2]).toMatchObject({ type: null, attempts: 3, last_error: 'not a message' })
  await replayed(stored[2]!.id)
  expect((await letters()).map(({ status }) => status)).toEqual(['open', 'open', 'open', 'replayed'])

  await change(
    `insert into dead_letters (workspace_id, queue, message, attempts) select $1, 'events', jsonb_build_object('n', n), 6
      from generate_series(5, $2) n`,
    ...[crm.ws.id, MAX_DAILY],
  )
  await crm.app.deliver('imports', [{ workspace_id: crm.ws.id, one: 'more' }, { workspace_id: crm.ws.id }], 4)
  expect(await crm.count('dead_letters')).toBe(MAX_DAILY)
  expect(found(await crm.ws.get(`/dead-letters/${stored[0]!.id}`)).attempts).toBe(7)
  // The bound is one of the last 24 hours.
  await change("update dead_letters set created_at = now() - interval '25 hours' where workspace_id = $1", crm.ws.id)
  await crm.app.deliver('imports', [{ workspace_id: crm.ws.id, one: 'more' }], 4)
  expect(await crm.count('dead_letters')).toBe(MAX_DAILY + 1)
})

test('dead letters are listed by queue, status and time, for admins only, until they are dismissed or 30 days old', async () => {
  const wake = (kind: string) => ({ type: 'work.run', kind, workspace_id: crm.ws.id })
  await crm.app.deliver('events-dead', [wake('lists.track'), wake('automations.run')])
  await crm.app.deliver('messages-dead', [wake('messages.send')])
  await crm.app.deliver('messages-dead', [wake('messages.send')])
  const [message, second, first] = (await letters()) as [Row, Row, Row]
  expect([first, second, message].map(({ type }) => type)).toEqual(['lists.track', 'automations.run', 'messages.send'])
  expect(message.attempts).toBe(MAX_ATTEMPTS)
  await replayed(second.id)
  expect(ids(await letters('?queue=events&status=open'))).toEqual([first.id])
  expect(ids(await letters(`?created_from=${message.created_at}`))).toEqual([message.id])
  expect(ids(await letters(`?created_to=${message.created_at}`))).toEqual([second.id, first.id])
  expect(ids(await crm.walk('/dead-letters?limit=1'))).toEqual([message.id, second.id, first.id])
  expect(await crm.ws.get('/dead-letters?queue=events-dead')).toMatchObject(refused('queue'))

  const editor = await crm.ws.key({ role: 'client_editor' })
  for (const answer of [await editor.get('/dead-letters'), await editor.post(`/dead-letters/${first.id}/replay`)])
    expect(answer).toMatchObject(failed(403, 'FORBIDDEN'))
  const other = await crm.app.workspace()
  expect(await other.post(`/dead-letters/${first.id}/replay`)).toMatchObject(failed(404, 'NOT_FOUND'))
  expect(found(await crm.ws.delete(`/dead-letters/${first.id}`))).toEqual({ id: first.id, deleted: true })
  expect(await crm.ws.get(`/dead-letters/${first.id}`)).toMatchObject(failed(404, 'NOT_FOUND'))

  const old = `0192${newId().slice(4)}`
  await change("insert into dead_letters (workspace_id, id, queue, message, attempts) values ($1, $2, 'events', '{}', 6)", crm.ws.id, old)
  await crm.app.cron('17 3 * * *')
  expect(ids(await letters()).toSorted()).toEqual([second.id, message.id].toSorted())
})
