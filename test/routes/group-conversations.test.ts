import { randomUUID } from 'node:crypto'
import { beforeEach, expect, test } from 'vitest'
import { messageOf } from '../../dev/whatsapp-messages.ts'
import { failed, found, type Row, refused, useCrm } from './crm.ts'
import { inboxing } from './inboxing.ts'
import { merge } from './merging.ts'
import { texting } from './texting.ts'
import { whatsapping } from './whatsapping.ts'

const crm = useCrm({ ownServer: true })
const wa = whatsapping(crm)
const { elapse, events, filledIn, idsIn, inbox, patch, read } = inboxing(crm, texting(crm))
beforeEach(() => crm.app.whatsapp.clear())

const SITE = '120363000000000001@g.us'
const CREW = '120363000000000002@g.us'
const ANA = '+61400000002'
const members = [
  { id: '61400000001@s.whatsapp.net', admin: 'superadmin' as const },
  { id: '61400000002@s.whatsapp.net', admin: null },
]
/** A time in whole seconds, as WhatsApp gives them. */
const inSeconds = (seconds: number) => Math.ceil(Date.now() / 1000) + seconds

/** A group, in which Ana has written. */
async function group(name = '12 Bridge Street', jid = SITE): Promise<string> {
  wa.world().setGroup(wa.connection(), jid, name, members)
  await wa.receive({ group: jid, from: ANA, text: 'Who has the key?', at: inSeconds(-100) })
  const { rows } = await crm.app.owner.query('select id from whatsapp_groups where workspace_id = $1 and jid = $2', [crm.ws.id, jid])
  return rows[0].id
}

test('a group is in the inbox from its first message, with what its messages change and who has written them', async () => {
  await wa.paired()
  wa.world().setGroup(wa.connection(), CREW, 'Crew', members)
  await wa.flush()
  expect(await inbox(), 'a group without messages is no conversation').toEqual([])
  const id = await group()
  await wa.receive({ from: '61400000777', text: 'Hi', at: inSeconds(-50) })
  const first = { id, channel: 'whatsapp', is_group: true, title: '12 Bridge Street', contact_id: null, status: 'open', unread: true }
  const [person] = await idsIn('is_group=false')
  expect(await idsIn()).toEqual([person, id])
  expect(await inbox('is_group=true')).toMatchObject([
    { ...first, snippet: 'Who has the key?', direction: 'inbound', message_count: 1, assigned_to: null },
  ])
  expect(await idsIn('channel=sms&is_group=true')).toEqual([])
  const sent = found(await crm.ws.post('/whatsapp/groups/send', { group_id: id, text: 'I have' })) as Row
  await crm.app.drain()
  await wa.flush({ twice: true })
  expect(await read(id)).toMatchObject({ ...first, snippet: 'I have', direction: 'outbound', message_count: 2 })
  const messages = found(await crm.ws.get(`/conversations/${id}/messages`)) as Row[]
  expect(messages).toMatchObject([
    { channel: 'whatsapp', direction: 'inbound', sender: ANA, sender_name: 'Ana', body_text: 'Who has the key?', message_id: null },
    { direction: 'outbound', sender: null, body_text: 'I have', message_id: sent.id, status: 'sent' },
  ])
  expect(await crm.walk(`/conversations/${id}/messages?limit=1`)).toEqual(messages)
  // One that is late is counted, and is not the latest.
  await wa.receive({ group: SITE, from: ANA, text: 'Anybody?', at: inSeconds(-500) })
  const last = await read(id)
  expect(last).toMatchObject({ snippet: 'I have', direction: 'outbound', message_count: 3 })
  const listed = found(await crm.ws.get(`/whatsapp/groups/${id}`)) as Row
  for (const field of ['unread', 'snippet', 'direction', 'message_count', 'last_message_at']) expect(listed[field]).toEqual(last[field])
  expect(listed).toMatchObject({ unread_count: 2 })
})

test('a group is assigned, snoozed, closed and marked as the others are, with their events and history', async () => {
  await wa.paired()
  const id = await group()
  expect(await patch(id, { unread: false })).toMatchObject({ unread: false })
  expect(found(await crm.ws.get(`/whatsapp/groups/${id}`))).toMatchObject({ unread: false, unread_count: 0 })
  await crm.app.drain()
  expect(wa.world().read, 'the provider has no receipts for groups').toEqual([])
  expect(await idsIn('unread=true')).toEqual([])

  await patch(id, { assigned_to: crm.ws.userId, snoozed_until: new Date(Date.now() + 3_600_000).toISOString() })
  expect(await idsIn(`assigned_to=${crm.ws.userId}&status=snoozed&is_group=true`)).toEqual([id])
  await elapse()
  expect(await read(id)).toMatchObject({ status: 'open', snoozed_until: null })
  const [change] = found(await crm.ws.get(`/conversations/${id}/history`)) as Row[]
  expect(change?.fields.status).toEqual({ before: 'snoozed', after: 'open' })
  const closed = { id, status: 'closed', unread: true }
  expect(found(await crm.ws.post('/conversations/bulk-update', { records: [closed] }))).toMatchObject({ results: [closed], errors: [] })
  expect(found(await crm.ws.get(`/whatsapp/groups/${id}`))).toMatchObject({ unread: true })
  found(await crm.ws.post('/whatsapp/groups/send', { group_id: id, text: 'We come tomorrow' }))
  await crm.app.drain()
  expect(await read(id)).toMatchObject({ status: 'closed', snippet: 'We come tomorrow' })
  await wa.receive({ group: SITE, from: ANA, text: 'Thanks', at: inSeconds(1) })
  expect(await read(id)).toMatchObject({ status: 'open', snippet: 'Thanks', unread: true })
  const payload = { channel: 'whatsapp', contact_id: null }
  expect(await events(id)).toMatchObject([
    ['conversation.assigned', { ...payload, assigned_to: crm.ws.userId }],
    ['conversation.reopened', { ...payload, previous_status: 'snoozed' }],
    ['conversation.closed', payload],
    ['conversation.reopened', { ...payload, previous_status: 'closed' }],
  ])
})

test('the conversation of a group follows its name, and outlives its links, a deleted writer and the departure of the phone', async () => {
  await wa.paired()
  const [ana, deal, other, company] = [
    await crm.contact({ phone: ANA }),
    await crm.opportunity(),
    await crm.opportunity(),
    await crm.company(),
  ]
  const id = await group()
  found(await crm.ws.post(`/whatsapp/groups/${id}/link`, { deal_id: deal.id, customer_id: company }))
  expect(await read(id)).toMatchObject({ contact_id: null })
  wa.world().setGroup(wa.connection(), SITE, '12 Bridge Street, deck', members)
  await wa.flush()
  const renamed = await read(id)
  expect(renamed).toMatchObject({ title: '12 Bridge Street, deck', unread: true, message_count: 1 })
  await merge(crm, 'opportunities', other.id, [deal.id])
  expect(found(await crm.ws.get(`/whatsapp/groups/${id}`))).toMatchObject({ linked_deal_id: other.id })
  found(await crm.ws.delete(`/opportunities/${other.id}`))
  found(await crm.ws.post(`/whatsapp/groups/${id}/unlink`))
  expect(await read(id)).toEqual(renamed)
  await patch(id, { status: 'closed' })
  found(await crm.ws.delete(`/contacts/${ana.id}`))
  expect(await read(id)).toMatchObject({ snippet: '', message_count: 0 })
  found(await crm.ws.post(`/contacts/${ana.id}/restore`))
  expect(await read(id)).toMatchObject({ snippet: 'Who has the key?', message_count: 1, status: 'closed' })
  await wa.receive({ group: SITE, from: '+61400000009', text: 'Not me', at: inSeconds(-300) })
  found(await crm.ws.delete(`/contacts/${ana.id}?purge=true`))
  expect(await read(id)).toMatchObject({ title: '12 Bridge Street, deck', snippet: 'Not me', message_count: 1 })
  expect(found(await crm.ws.get(`/conversations/${id}/messages`))).toMatchObject([{ body_text: 'Not me' }])

  wa.world().setGroup(wa.connection(), SITE, '12 Bridge Street, deck', [])
  await wa.flush()
  expect(found(await crm.ws.get(`/whatsapp/groups/${id}`))).toMatchObject({ is_left: true })
  expect(await read(id)).toMatchObject({ id, status: 'closed', title: '12 Bridge Street, deck' })
  expect(await patch(id, { status: 'open', unread: false })).toMatchObject({ status: 'open', unread: false })
  expect(await crm.ws.post('/whatsapp/groups/send', { group_id: id, text: 'Hi' })).toMatchObject(refused('group_id'))
})

test('a caller without the scopes of WhatsApp sees no group', async () => {
  await wa.paired()
  const id = await group()
  const texter = await crm.ws.key({ scopes: ['sms:read', 'sms:write', 'email:read', 'email:write'] })
  expect(await idsIn('', texter)).toEqual([])
  expect(await idsIn('is_group=true', texter)).toEqual([])
  for (const path of ['', '/messages', '/history'])
    expect(await texter.get(`/conversations/${id}${path}`), path).toMatchObject(failed(403, 'INSUFFICIENT_SCOPE'))
  expect(await texter.patch(`/conversations/${id}`, { unread: false })).toMatchObject(failed(403, 'INSUFFICIENT_SCOPE'))
  const reader = await crm.ws.key({ scopes: ['whatsapp:read'] })
  expect(await idsIn('', reader)).toEqual([id])
  expect(await crm.ws.get(`/conversations/${randomUUID()}/messages`)).toMatchObject(failed(404, 'NOT_FOUND'))
})

test('the migration adds the groups with messages', async () => {
  await wa.paired()
  wa.world().setGroup(wa.connection(), CREW, 'Crew', members)
  const id = await group()
  const { created_at: _, updated_at: __, version: ___, ...same } = await read(id)
  expect(await filledIn()).toMatchObject([{ ...same, whatsapp_group_id: id, whatsapp_conversation_id: null }])
})

test('messages in groups, marks and bulk changes at the same time do not wait for each other in a circle', async () => {
  await wa.paired()
  // Ids follow each other.
  const [low, high] = [await group(), await group('Crew', CREW)]
  await wa.receive({ from: '61400000777', text: 'Hi', at: inSeconds(-50) })
  const all = await idsIn()
  expect(all).toHaveLength(3)

  const blocked = (role: string) =>
    crm.app.owner.query("select from pg_stat_activity where usename = $1 and datname = current_database() and wait_event_type = 'Lock'", [
      role,
    ])
  const waits = async (role: string, number: number) => {
    while ((await blocked(role)).rowCount !== number);
  }
  const locker = await crm.app.owner.connect()
  const lockOf = (table: string, id: string) =>
    locker.query(`savepoint s; select from ${table} where id = '${id}' for update nowait; rollback to s`).then(
      () => 'free',
      () => locker.query('rollback to s').then(() => 'taken'),
    )
  // The queue has a message of the group, and its conversation comes next: whoever waits for the former must not have the latter.
  await locker.query('begin')
  await locker.query('select from whatsapp_groups where id = $1 for update', [low])
  const records = all.map((id) => ({ id, unread: false, status: 'closed' }))
  const changes = [crm.ws.patch(`/conversations/${low}`, { unread: false }), crm.ws.post('/conversations/bulk-update', { records })]
  await waits('app', 2)
  const conversation = await lockOf('conversations', low)
  await locker.query('rollback')
  expect([conversation, ...(await Promise.all(changes)).map(({ status }) => status)]).toEqual(['free', 200, 200])

  // A report has messages of both groups: it takes them in the order of the bulk update, and not in that of the messages.
  await locker.query('begin')
  await locker.query('select from whatsapp_groups where id = $1 for update', [high])
  const data = [
    messageOf({ group: CREW, from: ANA, text: 'First', at: inSeconds(1) }),
    messageOf({ group: SITE, from: ANA, text: 'Second', at: inSeconds(2) }),
  ]
  await wa.post({ event: 'messages.upsert', data }, new URL(wa.connection().webhook?.url ?? '').pathname)
  const drained = crm.app.drain()
  await waits('jobs', 1)
  const first = await lockOf('whatsapp_groups', low)
  const change = crm.ws.post('/conversations/bulk-update', { records })
  await waits('app', 1)
  await locker.query('rollback')
  locker.release()
  expect([first, (await change).status]).toEqual(['taken', 200])
  await drained
  expect((await inbox('is_group=true')).map(({ snippet, message_count }) => [snippet, message_count])).toEqual([
    ['Second', 2],
    ['First', 2],
  ])
})
