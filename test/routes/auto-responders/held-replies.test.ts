import { beforeEach, expect, test } from 'vitest'
import { created, failed, found, type Row, useCrm } from '../crm.ts'
import { mailing } from '../mailing.ts'
import { responding } from './responding.ts'

// The tick looks at few approvals at a time, and only after older transactions of the server.
const crm = useCrm({ ownServer: true })
const mail = mailing(crm)
const { base, grant, inbound, later, marker, replies, responder, says, sentTo } = responding(crm)

const HOURS = 'We are open on Saturday from 9 to 13.'
let people = 0
let person: string
beforeEach(() => {
  person = `+6148${String(++people).padStart(7, '0')}`
})

/** A conversation by SMS whose reply waits for approval. */
async function heldSms() {
  const { base: knowledge_base_id, entry } = await base(HOURS)
  const { number } = await responder({ knowledge_base_id, mode: 'draft' })
  const ask = async () => {
    const mark = marker()
    says(mark, { category: 'question', reply: HOURS, claims: [{ text: HOURS, source: entry }] })
    expect((await inbound(person, number, mark)).status).toBe(200)
    await crm.app.drain()
    await later()
    return String((await replies()).at(-1)?.approval_id)
  }
  const approval_id = await ask()
  const [conversation] = found(await crm.ws.get('/conversations?channel=sms')) as Row[]
  return { approval_id, conversation: String(conversation?.id), ask }
}
const approve = async (id: string, more: Row = {}) => {
  const answer = await (await crm.ws.key({ role: 'client_admin' })).post(`/approvals/${id}/approve`, more)
  await crm.app.drain()
  return answer
}
const STALE = failed(409, 'APPROVAL_STALE')
const approval = async (id: string) => found(await crm.ws.get(`/approvals/${id}`))

test('a held reply by SMS is not sent once the customer has written again, unless it is forced', async () => {
  const { approval_id, ask } = await heldSms()
  expect((await approval(approval_id)).changes).toContainEqual(
    expect.objectContaining({ entity: 'conversation', fields: { message_count: { before: 1, after: 2 } } }),
  )
  const second = await ask()
  const refused = await approve(approval_id)
  expect(refused).toMatchObject(STALE)
  expect(refused.body.error.message).toContain('its conversation went on')
  expect(sentTo(person)).toEqual([])
  await crm.app.cron('* * * * *')
  expect((await approval(approval_id)).stale_at).not.toBeNull()
  expect((await approval(second)).stale_at).toBeNull()
  expect((await approve(second)).status).toBe(200)
  expect(sentTo(person)).toHaveLength(1)
  expect((await approve(approval_id, { force: true })).status).toBe(200)
  expect(sentTo(person)).toHaveLength(2)
})

test('a held reply by SMS is not sent once a person has replied, until it is edited', async () => {
  const { approval_id, conversation } = await heldSms()
  expect((await crm.ws.post('/sms/send', { conversation_id: conversation, text: 'I am on it' })).status).toBe(201)
  await crm.app.drain()
  expect(await approve(approval_id)).toMatchObject(STALE)
  found(await crm.ws.patch(`/approvals/${approval_id}`, { body: { conversation_id: conversation, text: 'And we open at 9' } }))
  expect((await approve(approval_id)).status).toBe(200)
  expect(sentTo(person).map(({ body }) => body)).toEqual(['I am on it', 'And we open at 9'])
})

test('a held reply is not sent once its conversation is closed; that it was read or assigned does not matter', async () => {
  const { approval_id, conversation } = await heldSms()
  found(await crm.ws.patch(`/conversations/${conversation}`, { unread: false, assigned_to: crm.ws.userId }))
  await crm.app.cron('* * * * *')
  expect((await approval(approval_id)).stale_at).toBeNull()
  found(await crm.ws.patch(`/conversations/${conversation}`, { status: 'closed' }))
  expect(await approve(approval_id)).toMatchObject(STALE)
  found(await crm.ws.patch(`/conversations/${conversation}`, { status: 'open' }))
  expect((await approve(approval_id)).status).toBe(200)
  expect(sentTo(person)).toHaveLength(1)
})

test('what is written between the approval and the run keeps a held reply back', async () => {
  const { approval_id, conversation } = await heldSms()
  const approver = await crm.ws.key({ role: 'client_admin' })
  await crm.app.capture(true)
  expect((await approver.post(`/approvals/${approval_id}/approve`, {})).status).toBe(200)
  expect((await crm.ws.post('/sms/send', { conversation_id: conversation, text: 'I am on it' })).status).toBe(201)
  for (const { queue, body } of await crm.app.capture(false)) await crm.app.deliver(queue, [body])
  await crm.app.drain()
  expect(await approval(approval_id)).toMatchObject({ status: 'failed', response_status: 409 })
  expect(sentTo(person).map(({ body }) => body)).toEqual(['I am on it'])
})

test('a held reply by email is not sent once the thread has another email, or is closed', async () => {
  await grant(1_000)
  await crm.app.owner.query('update crm_settings set quiet_hours = null where workspace_id = $1', [crm.ws.id])
  const { base: knowledge_base_id, entry } = await base(HOURS)
  const config = await mail.config()
  const identity = { identity_kind: 'email_config', identity_ref: config.id, knowledge_base_id }
  created(await crm.ws.post('/auto-responders', { ...identity, enabled: true, mode: 'draft' }))
  const writer = `held-${people}@customer.example`
  const ask = async () => {
    const mark = marker()
    says(mark, { category: 'question', reply: HOURS, claims: [{ text: HOURS, source: entry }] })
    await mail.receive({ from: writer, to: config.from_email, subject: 'Hours', text: mark })
    await later()
    const { approval_id, conversation_id } = (await replies()).at(-1) as Row
    return { approval_id: String(approval_id), thread_id: String(conversation_id) }
  }
  const [answered, closed, open] = [await ask(), await ask(), await ask()]
  expect((await crm.ws.post('/email/reply', { thread_id: answered.thread_id, text: 'It is me' })).status).toBe(201)
  expect(await approve(answered.approval_id)).toMatchObject(STALE)
  found(await crm.ws.patch(`/conversations/${closed.thread_id}`, { status: 'closed' }))
  expect(await approve(closed.approval_id)).toMatchObject(STALE)
  expect(mail.emailsTo(writer)).toHaveLength(1)
  expect((await approve(open.approval_id)).status).toBe(200)
  expect(mail.emailsTo(writer)).toHaveLength(2)
})
