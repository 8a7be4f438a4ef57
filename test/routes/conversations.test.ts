import { expect, test } from 'vitest'
import { useAutomations } from '../automations/automation.ts'
import type { TestWorkspace } from '../workspace.ts'
import { failed, found, type Row, refused, useCrm } from './crm.ts'
import { inboxing } from './inboxing.ts'
import { connecting, ME } from './mailboxes/connecting.ts'
import { mailing } from './mailing.ts'
import { merge, undo } from './merging.ts'
import { texting } from './texting.ts'
import { whatsapping } from './whatsapping.ts'

const crm = useCrm({ ownServer: true })
const sms = texting(crm)
const wa = whatsapping(crm)
const mail = mailing(crm)
const box = connecting(crm)
const { published, runs } = useAutomations(crm)

const { elapse, events, filledIn, idsIn, inbox, patch, read, texted } = inboxing(crm, sms)
const later = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString()

test('what arrives by SMS, email and WhatsApp is in one list, and is read, searched and counted in one shape', async () => {
  const email = `ana-${Date.now()}@example.com`
  const contact = await crm.contact({ email })
  await mail.inbox()
  const sent = await mail.send({ contact_id: contact.id })
  await mail.reply(email, { text: 'Sounds good' })
  const text = await texted({ first_name: 'Ben' })
  await wa.paired()
  // WhatsApp gives whole seconds.
  await wa.receive({ from: '61400000777', text: 'Hi from WhatsApp', at: Math.ceil(Date.now() / 1000) + 1 })

  const listed = await inbox()
  expect(
    listed.map(({ channel, title, snippet, direction, unread, status }) => [channel, title, snippet, direction, unread, status]),
  ).toEqual([
    ['whatsapp', 'Ana', 'Hi from WhatsApp', 'inbound', true, 'open'],
    ['sms', text.phone, 'Hello', 'inbound', true, 'open'],
    ['email', 'Your offer', 'Sounds good', 'inbound', true, 'open'],
  ])
  expect(listed[2]).toMatchObject({ id: sent.thread_id, contact_id: contact.id, message_count: 2, assigned_to: null, private_to: null })
  expect(await idsIn(`contact_id=${text.contact.id}`)).toEqual([text.id])
  expect(await idsIn('channel=email')).toEqual([sent.thread_id])
  expect(await crm.walk('/conversations?limit=1&sort=last_message_at')).toEqual(listed.toReversed())
  expect((await crm.ws.get('/conversations?count=true&unread=true')).body.page).toMatchObject({ count: 3, count_exact: true })
  expect(await idsIn(`last_message_after=${listed[1]?.last_message_at}`)).toEqual(listed.slice(0, 2).map(({ id }) => id))
  expect(await idsIn(`updated_after=2020-01-01T00:00:00Z&ids=${text.id}`)).toEqual([text.id])

  const messages = async (id: string) =>
    (found(await crm.ws.get(`/conversations/${id}/messages?limit=10`)) as Row[]).map(
      ({ channel, direction, sender, subject, body_text, status }) => [channel, direction, sender, subject, body_text, status],
    )
  expect(await messages(sent.thread_id)).toEqual([
    ['email', 'outbound', expect.stringContaining('@'), 'Your offer', 'Hello Ana', 'sent'],
    ['email', 'inbound', email, 'Re: Your offer', 'Sounds good', null],
  ])
  await sms.send({ conversation_id: text.id, text: 'Yes' })
  await crm.app.drain()
  expect(await messages(text.id)).toMatchObject([
    ['sms', 'inbound', text.phone, null, 'Hello', null],
    ['sms', 'outbound', expect.stringMatching(/^\+6149/), null, 'Yes', 'sent'],
  ])
  expect(await messages(listed[0]?.id)).toEqual([['whatsapp', 'inbound', '+61400000777', null, 'Hi from WhatsApp', null]])
  expect((await crm.walk(`/conversations/${text.id}/messages?limit=1`)).map(({ body_text }) => body_text)).toEqual(['Hello', 'Yes'])
  expect(await crm.ws.get(`/conversations/${crypto.randomUUID()}/messages`)).toMatchObject(failed(404, 'NOT_FOUND'))
})

test('the triggers keep what the rows of the channels say', async () => {
  const { id } = await texted()
  await wa.paired()
  await wa.receive({ from: '61400000779', text: 'Hi' })
  await mail.inbox()
  await mail.receive({ from: 'stranger@example.net', to: 'hello@example.com', subject: 'Question', text: 'Hi' })
  const listed = await inbox()
  const filled = await filledIn()
  expect(filled).toHaveLength(3)
  for (const row of filled) {
    const { created_at: _, updated_at: __, version: ___, ...same } = listed.find((one) => one.id === row.id) as Row
    expect(row).toMatchObject(same)
  }
  found(await crm.ws.patch(`/email/threads/${listed[0]?.id}`, { status: 'archived' }))
  expect((await filledIn()).map(({ channel, status, closed_at }) => [channel, status, closed_at === null]).toSorted()).toEqual([
    ['email', 'closed', false],
    ['sms', 'open', true],
    ['whatsapp', 'open', true],
  ])
  expect((await read(id)).status).toBe('open')
})

test('messages, marks and changes at the same time do not part the inbox from its channels, nor block each other', async () => {
  const [one, other] = [await texted(), await texted()]
  const ids = [one.id, other.id]
  const close = () => crm.ws.post('/conversations/bulk-update', { records: ids.map((id) => ({ id, unread: false, status: 'closed' })) })
  const calls = Array.from({ length: 3 }, (_, n) => [
    one.write(`One ${n}`),
    other.write(`Other ${n}`),
    crm.ws.patch(`/conversations/${ids[n % 2]}`, { unread: n % 2 === 0 }),
    close(),
    crm.ws.post('/sms/conversations/mark-read', {}),
  ]).flat()
  const answers = (await Promise.all(calls)).flatMap((answer) => (answer ? [answer.status] : []))
  expect(new Set(answers)).toEqual(new Set([200]))
  const channel = (await sms.conversations()).map(({ id, unread, message_count, snippet }) => ({ id, unread, message_count, snippet }))
  expect(await inbox()).toMatchObject(channel)
  expect(channel.map(({ message_count }) => message_count)).toEqual([4, 4])

  // A message that arrives has locked its row in the channel, and the conversation comes next: whoever waits for the former must not have
  // the latter.
  const message = await crm.app.owner.connect()
  await message.query('begin')
  await message.query('select from sms_conversations where id = $1 for update', [one.id])
  const waiting = [crm.ws.patch(`/conversations/${one.id}`, { unread: true }), close()]
  const blocked = "select from pg_stat_activity where usename = 'app' and datname = current_database() and wait_event_type = 'Lock'"
  while ((await crm.app.owner.query(blocked)).rowCount !== waiting.length);
  const { rowCount } = await message.query('select from conversations where id = $1 for update nowait', [one.id])
  await message.query('rollback')
  message.release()
  expect([rowCount, ...(await Promise.all(waiting)).map(({ status }) => status)]).toEqual([1, 200, 200])
})

test('an assignment is an event that starts automations, and needs a current member', async () => {
  const { id, contact } = await texted()
  const colleague = (await crm.ws.key()).userId
  const trigger = {
    type: 'event',
    event_types: ['conversation.assigned'],
    where: { field: 'payload.assigned_to', op: 'eq', value: colleague },
  }
  const automation = await published({ trigger, steps: [{ type: 'add_tags', record: 'contact', tags: ['Assigned'] }] })
  expect(await crm.ws.patch(`/conversations/${id}`, { assigned_to: await crm.formerMember() })).toMatchObject(refused('assigned_to'))
  expect(await idsIn('unassigned=true')).toEqual([id])
  expect(await patch(id, { assigned_to: crm.ws.userId })).toMatchObject({ assigned_to: crm.ws.userId, status: 'open' })
  expect(await patch(id, { assigned_to: colleague })).toMatchObject({ assigned_to: colleague })
  expect([await idsIn('unassigned=true'), await idsIn(`assigned_to=${crm.ws.userId}`)]).toEqual([[], []])
  expect([await idsIn(`assigned_to=${colleague}`), await idsIn(`assigned_to=${colleague}&status=closed`)]).toEqual([[id], []])
  const payload = { channel: 'sms', contact_id: contact.id }
  expect(await events(id)).toEqual([
    ['conversation.assigned', { ...payload, assigned_to: crm.ws.userId, previously_assigned_to: null }],
    ['conversation.assigned', { ...payload, assigned_to: colleague, previously_assigned_to: crm.ws.userId }],
  ])
  expect(await runs(automation.id)).toMatchObject([{ state: 'completed', contact_id: contact.id }])
  const [change] = found(await crm.ws.get(`/conversations/${id}/history`)) as Row[]
  expect(change).toMatchObject({ action: 'updated', fields: { assigned_to: { before: crm.ws.userId, after: colleague } } })
  const own = { id, assigned_to: null, status: 'closed' }
  const bulk = found(await crm.ws.post('/conversations/bulk-update', { records: [own, { id: crypto.randomUUID(), unread: true }] }))
  expect(bulk).toMatchObject({
    results: [{ id, assigned_to: null, status: 'closed' }],
    errors: [{ index: 1, error: { code: 'NOT_FOUND' } }],
  })
})

test('a snoozed conversation is away until its time, a closed one until somebody writes', async () => {
  const { id, write } = await texted()
  for (const [wrong, path] of [
    [{ status: 'snoozed' }, 'snoozed_until'],
    [{ snoozed_until: later(-1) }, 'snoozed_until'],
    [{ snoozed_until: later(24 * 400) }, 'snoozed_until'],
    [{ status: 'closed', snoozed_until: later(1) }, 'snoozed_until'],
  ] as const)
    expect(await crm.ws.patch(`/conversations/${id}`, wrong), JSON.stringify(wrong)).toMatchObject(refused(path))
  const until = later(1)
  expect(await patch(id, { snoozed_until: until })).toMatchObject({ status: 'snoozed', snoozed_until: until })
  await crm.app.cron('* * * * *')
  expect([await idsIn('status=open'), await idsIn('status=snoozed')]).toEqual([[], [id]])
  await elapse()
  expect(await read(id)).toMatchObject({ status: 'open', snoozed_until: null })
  await patch(id, { status: 'snoozed', snoozed_until: until })
  await write('Are you there?')
  expect(await read(id)).toMatchObject({ status: 'open', snoozed_until: null, snippet: 'Are you there?' })

  const closed = await patch(id, { status: 'closed' })
  expect(closed.closed_at).not.toBeNull()
  await sms.send({ conversation_id: id, text: 'Goodbye' })
  await crm.app.drain()
  expect(await read(id)).toMatchObject({ status: 'closed', closed_at: closed.closed_at, snippet: 'Goodbye' })
  await write('One more thing')
  expect(await read(id)).toMatchObject({ status: 'open', closed_at: null })
  const reopened = (previous: string) => ['conversation.reopened', expect.objectContaining({ previous_status: previous })]
  expect(await events(id)).toEqual([
    reopened('snoozed'),
    reopened('snoozed'),
    ['conversation.closed', expect.objectContaining({ channel: 'sms' })],
    reopened('closed'),
  ])
})

test('what is read in the inbox is read in its channel, and the reverse; archiving there closes it here', async () => {
  const { id } = await texted()
  expect(await patch(id, { unread: false })).toMatchObject({ unread: false })
  expect(await sms.conversations('?unread=true')).toEqual([])
  await patch(id, { unread: true })
  expect(await sms.conversations('?unread=true')).toMatchObject([{ id }])
  found(await crm.ws.post('/sms/conversations/mark-read', {}))
  expect(await idsIn('unread=true')).toEqual([])

  await mail.inbox()
  await mail.receive({ from: 'stranger@example.net', to: 'hello@example.com', subject: 'Question', text: 'Hi' })
  const [thread] = await inbox('channel=email')
  await patch(thread?.id, { unread: false })
  expect(found(await crm.ws.get(`/email/threads/${thread?.id}`)).is_read).toBe(true)
  found(await crm.ws.patch(`/email/threads/${thread?.id}`, { is_read: false, status: 'spam' }))
  expect(await read(thread?.id)).toMatchObject({ unread: true, status: 'closed' })
  found(await crm.ws.patch(`/email/threads/${thread?.id}`, { status: 'active' }))
  expect(await read(thread?.id)).toMatchObject({ status: 'open' })

  await wa.paired()
  await wa.receive({ from: '61400000778' })
  const [chat] = await inbox('channel=whatsapp')
  await patch(chat?.id, { unread: false })
  expect(await wa.conversations()).toMatchObject([{ unread: false, unread_count: 0 }])
})

test('a caller sees and changes the conversations of the channels of its scopes', async () => {
  const { id } = await texted()
  await mail.inbox()
  await mail.receive({ from: 'stranger@example.net', to: 'hello@example.com', subject: 'Question', text: 'Hi' })
  const thread = (await idsIn('channel=email'))[0] as string
  const texter = await crm.ws.key({ scopes: ['sms:read'] })
  expect(await idsIn('', texter)).toEqual([id])
  expect(await texter.get(`/conversations/${id}/messages`)).toMatchObject({ status: 200 })
  expect(await texter.patch(`/conversations/${id}`, { unread: false })).toMatchObject(failed(403, 'INSUFFICIENT_SCOPE'))
  for (const path of [
    `/conversations/${thread}`,
    `/conversations/${thread}/messages`,
    `/conversations/${thread}/history`,
    '/conversations?channel=email',
  ])
    expect(await texter.get(path), path).toMatchObject(failed(403, 'INSUFFICIENT_SCOPE'))
  const writer = await crm.ws.key({ scopes: ['sms:read', 'sms:write'] })
  expect(await writer.patch(`/conversations/${id}`, { status: 'closed' })).toMatchObject({ status: 200 })
  expect(await writer.post('/conversations/bulk-update', { records: [{ id }, { id: thread, status: 'closed' }] })).toMatchObject(
    failed(403, 'INSUFFICIENT_SCOPE'),
  )
  expect((await read(thread)).status).toBe('open')
  expect(await (await crm.ws.key({ scopes: ['contacts:read'] })).get('/conversations')).toMatchObject(failed(403, 'INSUFFICIENT_SCOPE'))
})

test('a conversation in a mailbox is there for its member only, with its events', async () => {
  await box.reset()
  const mailbox = await box.connect()
  const contact = await crm.contact({ email: `client-${mailbox.id}@example.com` })
  found(await box.send({ contact_id: contact.id }))
  const [sent] = box.gmail().sent(ME)
  box.gmail().answer(ME, sent!, 'Sounds good')
  await box.push()
  const [conversation] = await inbox()
  expect(conversation).toMatchObject({ channel: 'email', snippet: 'Sounds good', private_to: crm.ws.userId })
  const colleague = await crm.ws.key({ scopes: ['*:*'] })
  const path = `/conversations/${conversation?.id}`
  expect(await inbox('', colleague)).toEqual([])
  for (const of of [path, `${path}/messages`, `${path}/history`])
    expect(await colleague.get(of), of).toMatchObject(failed(404, 'NOT_FOUND'))
  expect(await colleague.patch(path, { status: 'closed' })).toMatchObject(failed(404, 'NOT_FOUND'))
  expect(await crm.ws.patch(path, { assigned_to: colleague.userId })).toMatchObject(refused('assigned_to'))
  await patch(conversation?.id, { assigned_to: crm.ws.userId })
  const seen = async (ws: TestWorkspace) => (found(await ws.get('/events?type=conversation.*')) as Row[]).map(({ type }) => type)
  expect(await seen(colleague)).toEqual([])
  expect(await seen(crm.ws)).toContain('conversation.assigned')
})

test('conversations follow their contact: a merge and its undo, a deletion and its restore, and a purge', async () => {
  const { id, contact } = await texted()
  await patch(id, { assigned_to: crm.ws.userId, snoozed_until: later(1) })
  const winner = await crm.contact({ first_name: 'Bea' })
  const { merge_id } = await merge(crm, 'contacts', winner.id, [contact.id])
  expect(await idsIn(`contact_id=${winner.id}`)).toEqual([id])
  await undo(crm, 'contacts', merge_id)
  expect([await idsIn(`contact_id=${winner.id}`), await idsIn(`contact_id=${contact.id}`)]).toEqual([[], [id]])

  const before = await read(id)
  found(await crm.ws.delete(`/contacts/${contact.id}`))
  expect(await crm.ws.get(`/conversations/${id}`)).toMatchObject(failed(404, 'NOT_FOUND'))
  found(await crm.ws.post(`/contacts/${contact.id}/restore`))
  const { version: _, updated_at: __, ...same } = before
  expect(await read(id)).toMatchObject(same)

  found(await crm.ws.delete(`/contacts/${contact.id}?purge=true`))
  expect(await inbox()).toEqual([])
  const { rows } = await crm.app.owner.query('select fields::text from changes where workspace_id = $1 and entity = $2', [
    crm.ws.id,
    'conversation',
  ])
  expect(rows.filter(({ fields }) => fields.includes('+6142'))).toEqual([])
})
