import { expect, test } from 'vitest'
import type { Message } from '../../queues/messages.ts'
import { KINDS, SETS } from '../../queues/work/registry.ts'
import { MAX_ATTEMPTS, type QueueName } from '../../src/features/dead-letters/rules/dead-letters.ts'
import { newId } from '../../src/lib/ids.ts'
import { found, type Row, useCrm } from '../routes/crm.ts'
import { useImports } from '../routes/importing.ts'

/** A message, an entry or an event that cannot be handled, among good ones, in each consumer. */

// What has no receiver in a deployment waits, and reads nothing.
const crm = useCrm({ vars: { ENGINEERING_EMAIL: 'team@example.com' } })
const { uploaded } = useImports(crm)

const entry = (more: Row = {}) => ({
  id: newId(),
  method: 'GET',
  path: '/contacts',
  endpoint: '/contacts',
  status: 200,
  outcome: 'done',
  error_code: null,
  error_message: null,
  approval_id: null,
  replay_of: null,
  duration_ms: 3,
  key_id: crm.ws.keyId,
  workspace_id: crm.ws.id,
  ...more,
})
const statusOf = async (id: string) => (await crm.ws.get(`/requests/${id}`)).status

test('requests: each entry that the database refuses is dropped alone, in its message and among its neighbours’', async () => {
  const bad: Row[] = [
    { path: 'a\0b' },
    { error_message: '\uD800' },
    { id: 'not an id' },
    { status: 'abc' },
    { duration_ms: 1e12 },
    { key_hash: 'zz', key_id: null },
    { method: null },
  ]
  const good = Array.from({ length: 14 }, (_, n) => entry(n % 2 ? { status: 404, outcome: 'refused' } : {}))
  const bodies = [
    { type: 'requests.answered', isolate: 'aaaaaaaaaaaa', entries: good.slice(0, 4) },
    { type: 'requests.answered', isolate: 'bbbbbbbbbbbb', entries: bad.flatMap((more, n) => [good[4 + n]!, entry(more)]) },
    { type: 'requests.answered', isolate: 'cccccccccccc', entries: [entry({ path: '\0' })] },
    { type: 'requests.answered', isolate: 'dddddddddddd', entries: good.slice(11) },
    { type: 'requests.answered', isolate: 'eeeeeeeeeeee', entries: [] },
  ]
  for (const attempts of [1, 2]) {
    const { explicitAcks, retryMessages } = await crm.app.deliver('requests', bodies, attempts)
    expect([explicitAcks.length, retryMessages]).toEqual([bodies.length, []])
    for (const { id } of good) expect(await statusOf(id)).toBe(200)
  }
  const { rows } = await crm.app.owner.query(
    'select count(*)::int as n from requests r, unnest(r.id || coalesce(r.more_ids, array[]::uuid[])) e where e = any($1)',
    [good.map(({ id }) => id)],
  )
  expect(rows).toEqual([{ n: good.length }])
  expect(crm.app.logs.filter((line) => line.includes('a request was not logged')).length).toBeGreaterThanOrEqual(bad.length)
})

test('requests: while the database is away all come again, and then all are stored', async () => {
  const [one, two] = [entry(), entry()]
  const bodies = [one, two].map((it, n) => ({ type: 'requests.answered', isolate: `00000000000${n}`, entries: [it] }))
  crm.app.proxy.outage = 'refuse'
  const away = await crm.app.deliver('requests', bodies)
  crm.app.proxy.outage = 'none'
  expect(away.retryMessages).toHaveLength(2)
  expect((await crm.app.deliver('requests', bodies, 2)).explicitAcks).toHaveLength(2)
  for (const { id } of [one, two]) expect(await statusOf(id)).toBe(200)
})

test('events: one whose listener fails keeps its error, and those behind it and of other workspaces are delivered', async () => {
  const other = await crm.app.workspace()
  const add = async (workspace: string, payload: Row) => {
    const id = newId()
    await crm.app.owner.query(
      `insert into outbox (workspace_id, id, type, entity, entity_id, payload, needs_delivery)
        values ($1, $2, 'member.invited', 'member', $2, $3, true)`,
      [workspace, id, payload],
    )
    return id
  }
  const bad = await add(crm.ws.id, { invitation_id: 'none\u0007' })
  const good = [await add(crm.ws.id, { invitation_id: newId() }), await add(other.id, { invitation_id: newId() })]
  const wake = (id: string) => ({ type: 'work.run', kind: 'events.deliver', workspace_id: id })
  const { explicitAcks } = await crm.app.deliver('events', [
    wake(crm.ws.id),
    { type: 'work.run', kind: 'events.deliver', workspace_id: 'x' },
    wake(other.id),
  ])
  expect(explicitAcks).toHaveLength(3)
  const { rows } = await crm.app.owner.query(
    'select id, delivered_at is not null as delivered, last_error, attempts from outbox where id = any($1)',
    [[bad, ...good]],
  )
  const byId = new Map(rows.map((row) => [row.id, row]))
  expect(byId.get(bad)).toMatchObject({ delivered: false, last_error: expect.any(String), attempts: 1 })
  for (const id of good) expect(byId.get(id)).toMatchObject({ delivered: true, last_error: null })
})

test('approvals: one that cannot be run comes again and ends as failed, and the others run', async () => {
  const hold = async () => {
    const { body } = await crm.ws.post('/contacts', { first_name: 'Ana', require_approval: true })
    await crm.app.owner.query("update approvals set status = 'approved', decided_key_id = key_id, decided_at = now() where id = $1", [
      body.approval_id,
    ])
    return body.approval_id as string
  }
  const [first, bad, last] = [await hold(), await hold(), await hold()]
  await crm.app.owner.query("update approvals set request = 'null' where id = $1", [bad])
  const message = (approval_id: string) => ({ type: 'work.run', kind: 'approval.run', workspace_id: crm.ws.id, item_id: approval_id })
  const { explicitAcks, retryMessages } = await crm.app.deliver('approvals', [first, bad, last].map(message))
  expect(explicitAcks).toHaveLength(2)
  expect(retryMessages).toMatchObject([{ msgId: 'delivered-1' }])
  // Another worker may have taken one of them, and still be at it.
  await crm.app.drain()
  for (const id of [first, last]) expect(found(await crm.ws.get(`/approvals/${id}`)).status).toBe('executed')
  expect((await crm.app.deliver('approvals-dead', [message(bad)], 5)).explicitAcks).toHaveLength(1)
  const { rows } = await crm.app.owner.query('select status from approvals where id = $1', [bad])
  expect(rows).toEqual([{ status: 'failed' }])
})

test('imports: one that cannot be read comes again and ends as failed, and the others finish', async () => {
  const made = [
    await uploaded('email\na@example.com\n'),
    await uploaded('email\nb@example.com\n'),
    await uploaded('email\nc@example.com\n'),
  ]
  const ids = made.map(({ id }) => id as string)
  await crm.app.owner.query("update imports set state = 'running', run_key_id = $2 where id = any($1)", [ids, crm.ws.keyId])
  await crm.app.owner.query("update imports set mapping = 'null' where id = $1", [ids[1]])
  await crm.app.owner.query("update import_files set phase = 'run' where import_id = any($1)", [ids])
  const message = (import_id: string) => ({ type: 'work.run', kind: 'import.run', workspace_id: crm.ws.id, item_id: import_id })
  const { explicitAcks, retryMessages } = await crm.app.deliver('imports', ids.map(message))
  expect(explicitAcks).toHaveLength(2)
  expect(retryMessages).toMatchObject([{ msgId: 'delivered-1' }])
  const stateOf = async (id: string) => (await crm.app.owner.query('select state from imports where id = $1', [id])).rows[0].state
  expect(await Promise.all(ids.map(stateOf))).toEqual(['finished', 'running', 'finished'])
  expect((await crm.app.deliver('imports-dead', [message(ids[1]!)], 5)).explicitAcks).toHaveLength(1)
  expect(await stateOf(ids[1]!)).toBe('failed')
})

const DELIVERED = { kind: 'delivered', message_id: null, provider_message_id: null, at: '2026-03-31T09:30:00.000Z', note: null }

const SMS_RECEIVED = {
  kind: 'received',
  provider_message_id: `SM${'0'.repeat(32)}`,
  from: '+61412345678',
  to: '+61491571570',
  body: 'Hello',
  media_count: 0,
  keyword: null,
}

const CALL_REPORT = {
  provider: 'twilio',
  provider_call_id: 'CA0',
  stage: 0,
  direction: 'inbound',
  status: 'ringing',
  phone_number: '+61491571570',
  external_phone_number: null,
  agent_id: null,
  started_at: null,
  ended_at: null,
  duration_seconds: null,
  ended_reason: null,
  recording_url: null,
  transcript_url: null,
  transcript: null,
  summary: null,
  sentiment: null,
  is_successful: null,
}

type Addressed = { type?: Message['type']; queue: QueueName; id?: string; more?: Row }

/** The queue of each other type of message, and the name of the id that it has beside that of the workspace. */
const QUEUE_OF: Record<Exclude<Message['type'], 'work.run'>, Addressed> = {
  'requests.answered': { queue: 'requests' },
  'email.event': { queue: 'deliveries', more: { event: { ...DELIVERED, recipient_id: newId() } } },
  'sms.event': { queue: 'deliveries', more: { event: SMS_RECEIVED } },
  'call.event': { queue: 'deliveries', more: { report: CALL_REPORT } },
  'phone.sync': { queue: 'messages' },
  'notetaker.event': { queue: 'webhooks', id: 'notetaker_id', more: { webhook_id: 'msg_1' } },
}
const WORK: [string, Addressed][] = [...KINDS, ...SETS].map(({ name, queue, ...more }) => [
  name,
  {
    type: 'work.run',
    queue: queue.toLowerCase() as QueueName,
    ...('hasItems' in more && { id: 'item_id' }),
    more: { kind: name },
  },
])

test.each([...Object.entries(QUEUE_OF), ...WORK] as [string, Addressed][])(
  '%s: of a hundred messages a malformed and a failing one become dead letters, and the others are processed',
  async (name, { type = name, queue, id, more }) => {
    const others = [await crm.app.workspace(), await crm.app.workspace()]
    const isLog = type === 'requests.answered'
    const message = (workspace_id: string): Row =>
      isLog ? { type, isolate: 'ffffffffffff', entries: [entry()] } : { type, workspace_id, ...(id && { [id]: newId() }), ...more }
    const failing = message(crm.ws.id)
    const malformed = { ...failing, ...(id ? { [id]: 7 } : { type: `${type}!` }) }
    const bodies = Array.from({ length: 100 }, (_, n) => (n === 30 ? malformed : n === 60 ? failing : message(others[n % 2]!.id)))
    const failingId: string = isLog ? failing.entries[0].id : crm.ws.id
    crm.app.proxy.onRequest = (request) => {
      const text = JSON.stringify(request)
      if (text.includes(failingId) && !text.includes('record_dead_letter')) throw new Error('This message fails')
    }
    const { explicitAcks, retryMessages } = await crm.app.deliver(queue, bodies, MAX_ATTEMPTS).finally(() => {
      crm.app.proxy.onRequest = undefined
    })
    expect([explicitAcks.length, retryMessages]).toMatchObject([99, [{ msgId: 'delivered-60' }]])
    if (isLog) for (const { entries } of bodies.slice(0, 10) as Row[]) expect(await statusOf(entries[0].id)).toBe(200)
    await crm.app.deliver(`${queue}-dead`, [failing])
    const letters = found(await crm.ws.get(`/dead-letters?queue=${queue}`)) as Row[]
    const stored = [
      { type: name, message: failing, attempts: MAX_ATTEMPTS, last_error: expect.stringContaining('unavailable') },
      { type: null, message: malformed, attempts: MAX_ATTEMPTS, last_error: 'not a message' },
    ]
    // Log entries are of many workspaces: they are only in the log.
    expect(letters).toMatchObject(isLog ? [] : stored)
  },
)
