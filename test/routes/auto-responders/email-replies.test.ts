import { beforeEach, expect, test } from 'vitest'
import { inboundEmail } from '../../../dev/inbound-mail.ts'
import { created, found, type Row, useCrm } from '../crm.ts'
import { mailing } from '../mailing.ts'
import { responding } from './responding.ts'

const crm = useCrm()
const mail = mailing(crm)
const { base, grant, later, marker, replies, says } = responding(crm)

const HOURS = 'We are open on Saturday from 9 to 13.'
let people = 0
let person: string
beforeEach(() => {
  person = `auto-reply-${++people}@customer.example`
})

/** The auto responder of a new email config. */
async function answering(fields: Row = {}) {
  await grant(1_000)
  await crm.app.owner.query('update crm_settings set quiet_hours = null where workspace_id = $1', [crm.ws.id])
  const { base: knowledge_base_id, entry } = await base(HOURS)
  const config = await mail.config()
  const identity = { identity_kind: 'email_config', identity_ref: config.id, knowledge_base_id }
  const made = created(await crm.ws.post('/auto-responders', { ...identity, enabled: true, mode: 'auto_send', ...fields }))
  const reply = { category: 'question', reply: HOURS, claims: [{ text: HOURS, source: entry }] }
  return { id: made.id as string, config, says: (mark: string) => says(mark, reply) }
}

test('an email is answered in its thread, from the address that it was sent to, without what it quotes', async () => {
  const { config, says } = await answering()
  await mail.config()
  const mark = marker()
  says(mark)
  const text = `Are you open on Saturday? ${mark}\n\nOn Monday you wrote:\n> An older message`
  await mail.receive({ from: person, to: config.from_email, subject: 'Hours', text })
  await later()
  expect(await replies()).toMatchObject([{ outcome: 'sent', category: 'question' }])
  const [sent, ...others] = mail.emailsTo(person)
  expect(others).toEqual([])
  expect(sent).toMatchObject({ Subject: 'Re: Hours', TextBody: expect.stringContaining(HOURS) })
  expect(sent?.From).toContain(config.from_email)
  const [thread] = await mail.threads()
  expect(thread).toMatchObject({ message_count: 2, direction: 'outbound' })
  const request = crm.app.models.requests.find(({ texts }) => texts.some((part) => part.includes(mark)))
  expect(request?.texts.join(' ')).toContain('Are you open on Saturday?')
  expect(request?.texts.join(' ')).not.toContain('An older message')
})

test('a draft by email waits in approvals, and goes to the sender once it is approved', async () => {
  const { config, says } = await answering({ mode: 'draft' })
  const mark = marker()
  says(mark)
  await mail.receive({ from: person, to: config.from_email, subject: 'Hours', text: mark })
  await later()
  const [reply] = await replies()
  expect(reply).toMatchObject({ outcome: 'held' })
  expect(mail.emailsTo(person)).toEqual([])
  const approver = await crm.ws.key({ role: 'client_admin' })
  expect((await approver.post(`/approvals/${reply?.approval_id}/approve`, {})).status).toBe(200)
  await crm.app.drain()
  expect(mail.emailsTo(person)).toMatchObject([{ Subject: 'Re: Hours' }])
})

const headersOf = (sent: unknown): Record<string, string> => {
  const { Headers } = sent as { Headers?: { Name: string; Value: string }[] }
  return Object.fromEntries((Headers ?? []).map(({ Name, Value }) => [Name, Value]))
}

test('only what an auto responder sends by itself says that it is automatic, also when it is sent again', async () => {
  const { id, config, says } = await answering()
  const receive = async () => {
    const mark = marker()
    says(mark)
    await mail.receive({ from: person, to: config.from_email, subject: 'Hours', text: mark })
    await later()
  }
  const automatic = { 'Auto-Submitted': 'auto-replied', 'X-Auto-Response-Suppress': 'All', 'In-Reply-To': expect.any(String) }
  await receive()
  expect(headersOf(mail.emailsTo(person).at(-1))).toMatchObject(automatic)
  // The provider is gone for a time, and the queue sends the reply later.
  crm.app.email.fail('429')
  await receive()
  expect(mail.emailsTo(person)).toHaveLength(1)
  await crm.app.owner.query('update messages set due_at = now() where workspace_id = $1 and due_at is not null', [crm.ws.id])
  await crm.app.deliver('messages', [{ type: 'work.run', kind: 'messages.send', workspace_id: crm.ws.id }])
  expect(mail.emailsTo(person)).toHaveLength(2)
  expect(headersOf(mail.emailsTo(person).at(-1))).toMatchObject(automatic)

  found(await crm.ws.patch(`/auto-responders/${id}`, { mode: 'draft' }))
  await receive()
  const approver = await crm.ws.key({ role: 'client_admin' })
  expect((await approver.post(`/approvals/${(await replies()).at(-1)?.approval_id}/approve`, {})).status).toBe(200)
  await crm.app.drain()
  const [thread] = await mail.threads()
  expect((await crm.ws.post('/email/reply', { thread_id: thread?.id, text: 'It is me' })).status).toBe(201)
  const byPeople = mail.emailsTo(person).slice(2).map(headersOf)
  expect(byPeople).toHaveLength(2)
  for (const headers of byPeople) {
    expect(headers).toHaveProperty('In-Reply-To')
    expect(Object.keys(headers).filter((name) => name in automatic && name !== 'In-Reply-To')).toEqual([])
  }
})

const header = (Name: string, Value: string) => ({ headers: [{ Name, Value }] })
const UNANSWERED: Record<string, (config: Row) => Row> = {
  'an out-of-office reply': () => header('Auto-Submitted', 'auto-replied'),
  'a list': () => header('List-Id', '<news.customer.example>'),
  'a bulk email': () => header('Precedence', 'bulk'),
  'a newsletter': () => header('List-Unsubscribe', '<mailto:out@customer.example>'),
  'a bounce': () => ({ from: 'mailer-daemon@customer.example' }),
  'an address that nobody reads': () => ({ from: 'no-reply@customer.example' }),
  'the workspace itself': (config) => ({ from: config.from_email }),
  'an email to another address': () => ({ to: 'somebody@elsewhere.example' }),
}
test.each(Object.keys(UNANSWERED))('nobody answers %s', async (name) => {
  const { config } = await answering()
  await mail.receive({ from: person, to: config.from_email, subject: 'Hello', text: 'Hello', ...UNANSWERED[name]?.(config) })
  expect(await mail.threads()).toHaveLength(1)
  expect(await crm.count('auto_replies')).toBe(0)
})

test('nobody answers an address that is suppressed', async () => {
  const { config } = await answering()
  await crm.app.owner.query("insert into suppressions (workspace_id, channel, address, reason) values ($1, 'email', $2, 'complaint')", [
    crm.ws.id,
    person,
  ])
  await mail.receive({ from: person, to: config.from_email, subject: 'Hello', text: 'Hello' })
  expect(await crm.count('auto_replies')).toBe(0)
})

test('a base that is deleted meanwhile leaves a reply without a source, which waits', async () => {
  const { id, config } = await answering()
  const { knowledge_base_id } = found(await crm.ws.get(`/auto-responders/${id}`))
  const mark = marker()
  says(mark, { category: 'question', reply: 'A colleague will write to you.' })
  await mail.receive({ from: person, to: config.from_email, subject: 'Hours', text: mark })
  found(await crm.ws.delete(`/knowledge-bases/${knowledge_base_id}`))
  await later()
  expect(await replies()).toMatchObject([{ outcome: 'held', reason: 'The reply cites no source' }])
  expect(mail.emailsTo(person)).toEqual([])
})

test('nothing is spent on an email whose writer could not be sent a reply, at the address that it would go to', async () => {
  const { config } = await answering()
  const write = async (from: string, ReplyTo = '') => {
    const email = inboundEmail({ from, to: config.from_email, subject: 'Hours', text: marker() })
    found((await mail.post({ ...email, ReplyTo })) as never)
    await crm.app.drain()
  }
  const unsubscribed = await crm.contact({ email: `left-${person}`, alternate_emails: [`private-${person}`] })
  found(await crm.ws.patch(`/contacts/${unsubscribed.id}`, { email_unsubscribed: true }))
  const bounced = await crm.contact({ email: `gone-${person}`, alternate_emails: [`new-${person}`] })
  created(await crm.ws.post('/suppressions', { channel: 'email', address: bounced.email, reason: 'hard_bounce' }))
  const nowhere = await crm.contact({ email: null, alternate_emails: [`only-${person}`] })
  expect(nowhere.email).toBeNull()
  for (const from of ['left', 'private', 'new', 'only']) await write(`${from}-${person}`)
  await write(`form-${person}`, `Ana <${bounced.email}>`)
  await later()
  expect(await replies()).toEqual([])
  await write(person)
  expect(await replies()).toHaveLength(1)
})
