import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { created, failed, found, ids, type Row, refused, useCrm, uuid } from './crm.ts'
import { mailing } from './mailing.ts'
import { messaging } from './messaging.ts'

const crm = useCrm({ own: true })
const mail = mailing(crm)
const { later } = messaging(crm)
let people = 0
const person = (fields: Row = {}) => crm.contact({ email: `mail-${++people}@example.com`, ...fields })
const missing = (field: string, id: string) => ({
  status: 400,
  body: { error: { code: 'VALIDATION_ERROR', details: { issues: [{ path: field }], missing_entities: [{ field, id }] } } },
})

test('an email is sent at once, begins a thread, and is in the log and in the activities of the contact and the deal', async () => {
  const [contact, deal, company] = [await person(), await crm.opportunity(), await crm.company()]
  const config = await mail.config()
  const body = { contact_id: contact.id, deal_id: deal.id, customer_id: company, cc: ['team@example.org'], bcc: ['boss@example.org'] }
  const log = await mail.send({ ...body, html: '<p onclick="x()">Hello <b>Ana</b></p><script>alert(1)</script>', text: undefined })
  const [email, ...others] = mail.emailsTo(contact.email)
  expect(others).toEqual([])
  expect(log).toMatchObject({
    type: 'email',
    status: 'sent',
    provider: 'postmark',
    provider_message_id: email!.MessageID,
    thread_id: uuid,
    subject: 'Your offer',
    recipient_email: contact.email,
    sender_email: config.from_email,
    sender_user_id: crm.ws.userId,
    cc: body.cc,
    bcc: body.bcc,
    contact_id: contact.id,
    deal_id: deal.id,
    customer_id: company,
    error: null,
  })
  expect(email).toMatchObject({
    From: `"Harbour \\"Blue\\" Renovations" <${config.from_email}>`,
    Cc: 'team@example.org',
    Bcc: 'boss@example.org',
    ReplyTo: 'team@example.com',
    HtmlBody: '<p>Hello <b>Ana</b></p>',
    TextBody: 'Hello Ana',
    Metadata: { workspace_id: crm.ws.id, message_id: log.id },
  })
  for (const path of [`/contacts/${contact.id}/activities`, `/opportunities/${deal.id}/activities`])
    expect(found(await crm.ws.get(path)), path).toMatchObject([{ activity_type: 'email', direction: 'outbound', subject: 'Your offer' }])
  const thread = found(await crm.ws.get(`/email/threads/${log.thread_id}`))
  expect(thread).toMatchObject({
    subject: 'Your offer',
    status: 'active',
    is_read: true,
    direction: 'outbound',
    snippet: 'Hello Ana',
    message_count: 1,
    contacts: [{ id: contact.id, name: 'Ana' }],
    deals: [{ id: deal.id, name: deal.name }],
    customers: [{ id: company, name: 'Acme' }],
    participants: expect.arrayContaining([config.from_email, contact.email, 'team@example.org']),
  })
  expect(await mail.messages(thread.id)).toMatchObject([
    {
      direction: 'outbound',
      message_id: log.id,
      status: 'sent',
      body_text: 'Hello Ana',
      has_attachment: false,
      attachment_filename: null,
      attachments: [],
    },
  ])
  for (const filter of ['status=sent', `contact_id=${contact.id}`, `deal_id=${deal.id}`, 'type=email', 'provider=postmark'])
    expect(ids(found(await crm.ws.get(`/email/logs?${filter}`))), filter).toEqual([log.id])
  expect(found(await crm.ws.get('/email/logs?provider=gmail'))).toEqual([])
})

test('nothing is sent when a reference is missing, a recipient cannot be reached, or a header would be injected', async () => {
  const contact = await person({ alternate_emails: ['other@example.com'] })
  const unknown = randomUUID()
  const before = crm.app.email.sent.length
  const send = (body: Row) => crm.ws.post('/email/send', { subject: 'Offer', text: 'Hello', to: 'ben@example.com', ...body })
  for (const field of ['contact_id', 'deal_id', 'customer_id'])
    expect(await send({ [field]: unknown })).toMatchObject(missing(field, unknown))
  expect(await send({ contact_id: contact.id, to: 'other@example.com' })).toMatchObject(refused('to'))
  expect(await send({ to: undefined })).toMatchObject(refused('to'))
  expect(await send({ text: undefined })).toMatchObject(refused('text'))
  expect(await send({ subject: 'Offer\r\nBcc: all@example.com' })).toMatchObject(refused('subject'))
  expect(await send({ cc: ['ben@example.com\nBcc: all@example.com'] })).toMatchObject(refused('cc.0'))
  const many = (count: number) => Array.from({ length: count }, (_, n) => `p${n}@example.com`)
  expect(await send({ cc: many(1000) })).toMatchObject(refused('cc', 'bcc'))
  expect(await send({ cc: many(30), bcc: many(20) })).toMatchObject(refused('bcc'))
  expect(await send({ config_id: unknown })).toMatchObject(refused('config_id'))
  expect(await send({ html: '<script>alert(1)</script>' })).toMatchObject(refused('html'))
  expect(await send({ mode: 'personal' })).toMatchObject(failed(400, 'MAILBOX_USER_REQUIRED'))
  expect(await send({ mode: 'personal', sender_user_id: crm.ws.userId })).toMatchObject(failed(400, 'MAILBOX_NOT_CONNECTED'))
  expect(await send({ sender_user_id: crm.ws.userId })).toMatchObject(refused('sender_user_id'))
  found(await crm.ws.patch(`/contacts/${contact.id}`, { email_unsubscribed: true }))
  expect(await send({ contact_id: contact.id, to: undefined })).toMatchObject(failed(409, 'RECIPIENT_UNREACHABLE'))
  found(await crm.ws.post('/suppressions', { channel: 'email', address: 'gone@example.com', reason: 'manual' }))
  expect(await send({ cc: ['gone@example.com'] })).toMatchObject(failed(409, 'RECIPIENT_UNREACHABLE'))
  const nameless = await crm.contact({ alternate_emails: ['only@example.com'] })
  expect(await send({ contact_id: nameless.id, to: undefined })).toMatchObject(failed(409, 'RECIPIENT_UNREACHABLE'))
  expect(crm.app.email.sent.length).toBe(before)
  expect([await crm.count('messages'), await crm.count('email_threads')]).toEqual([0, 0])
})

test('neither the name of a sender or a contact adds a header, nor hostile HTML a script or a form, however deep it is', async () => {
  const injected = 'Ana\r\nBcc: all@example.com'
  const broken = { from_email_handle: 'hello', from_name: injected, staff_email: 'team@example.com' }
  expect(await crm.ws.post('/email/configs', broken)).toMatchObject(refused('from_name'))
  const made = await crm.ws.post('/contacts', { first_name: injected, email: 'injected@example.com' })
  expect(made).toMatchObject(refused('first_name'))
  const contact = await person()
  // As an import or an earlier version may have stored it.
  await crm.app.owner.query('update contacts set first_name = $2 where id = $1', [contact.id, injected])
  const { id: template_id } = created(
    await crm.ws.post('/email-templates', { name: 'Name', subject: 'For {{first_name}}', body_html: '<p>Hi {{first_name}}</p>' }),
  )
  const { id } = created(await crm.ws.post('/email/drafts', { contact_id: contact.id, template_id }))
  found(await crm.ws.post(`/email/drafts/${id}/send`))
  const send = (html: string) => crm.ws.post('/email/send', { contact_id: contact.id, subject: 'Hello', html })
  expect(await send('<table><tr><td>'.repeat(10_000))).toMatchObject(refused('html'))
  const form = '<form action="https://evil.example"><input name="p">Pay</form><iframe src="x"></iframe>'
  const deep = `${'<table><td>'.repeat(4_000)}deep<script>alert(1)</script>${'</td></table>'.repeat(4_000)}`
  for (const html of [form, deep]) found(await send(html))
  const [named, formless, nested] = mail.emailsTo(contact.email)
  expect([named?.Subject, named?.To, named?.Bcc ?? '']).toEqual(['For Ana Bcc: all@example.com', contact.email, ''])
  expect(formless?.HtmlBody).toBe('Pay')
  expect([/deep<\/td>/.test(nested?.HtmlBody ?? ''), /script|alert/.test(nested?.HtmlBody ?? ''), nested?.TextBody]).toEqual([
    true,
    false,
    'deep',
  ])
})

test('a provider that refuses, is away, or loses its answer: one email each, and never two', async () => {
  const contact = await person()
  crm.app.email.fail('406')
  const answer = await crm.ws.post('/email/send', { contact_id: contact.id, subject: 'Refused', text: 'Hello' })
  expect(answer).toMatchObject({
    status: 502,
    body: { error: { code: 'PROVIDER_ERROR', details: { provider: 'postmark', message_id: uuid } } },
  })
  crm.app.email.fail('429')
  expect(await mail.send({ contact_id: contact.id, subject: 'Later' })).toMatchObject({ status: 'queued' })
  crm.app.email.fail('drop', 1, true)
  expect(await mail.send({ contact_id: contact.id, subject: 'Unclear' })).toMatchObject({ status: 'unclear' })
  await later()
  await later()
  expect(mail.emailsTo(contact.email).map(({ Subject }) => Subject)).toEqual(['Unclear', 'Later'])
  const logs = found(await crm.ws.get(`/email/logs?contact_id=${contact.id}`))
  expect(logs.map(({ subject, status }: Row) => [subject, status])).toEqual([
    ['Unclear', 'sent'],
    ['Later', 'sent'],
    ['Refused', 'failed'],
  ])
  expect(mail.emailsTo(contact.email).map(({ Headers }) => Headers?.[0]?.Name)).toEqual(['Message-ID', 'Message-ID'])
})

test('a delivered email whose outcome cannot be recorded is EMAIL_LOG_FAILED, and is reconciled without another one', async () => {
  const contact = await person()
  await crm.app.owner.query('alter function settle_email(jsonb) rename to settle_email_away')
  const body = { contact_id: contact.id, subject: 'Your offer', text: 'Hello' }
  const answer = await crm.ws
    .post('/email/send', body, { 'Idempotency-Key': 'log' })
    .finally(() => crm.app.owner.query('alter function settle_email_away(jsonb) rename to settle_email'))
  const [email] = mail.emailsTo(contact.email)
  expect(answer).toMatchObject({ status: 422, body: { error: { code: 'EMAIL_LOG_FAILED', details: { message_id: email!.MessageID } } } })
  await later()
  await later()
  expect(found(await crm.ws.post('/email/send', body, { 'Idempotency-Key': 'log' }))).toMatchObject({
    status: 'sent',
    provider_message_id: email!.MessageID,
  })
  expect(mail.emailsTo(contact.email)).toHaveLength(1)
})

test('a repeated request, a dry run and an approval send one email, none, and one after the decision', async () => {
  const contact = await person()
  const body = { contact_id: contact.id, subject: 'Your offer', text: 'Hello' }
  const [first, second] = [
    await crm.ws.post('/email/send', body, { 'Idempotency-Key': 'once' }),
    await crm.ws.post('/email/send', body, { 'Idempotency-Key': 'once' }),
  ]
  expect(found(second).id).toBe(found(first).id)
  expect(mail.emailsTo(contact.email)).toHaveLength(1)
  expect(await crm.ws.post('/email/send?dry_run=true', body)).toMatchObject({ status: 200 })
  expect(mail.emailsTo(contact.email)).toHaveLength(1)
  const held = await crm.ws.post('/email/send', { ...body, require_approval: true })
  expect(held.status).toBe(202)
  expect(mail.emailsTo(contact.email)).toHaveLength(1)
  const other = await crm.ws.key({ role: 'client_admin' })
  found(await other.post(`/approvals/${held.body.approval_id}/approve`))
  await crm.app.drain()
  expect(mail.emailsTo(contact.email)).toHaveLength(2)
})

test('configs compose the address, and refuse legacy, malformed, reserved and taken handles and unconnected mailboxes', async () => {
  const config = await mail.config({ from_email_handle: 'Sales.Team' })
  expect(config).toMatchObject({ from_email_handle: 'sales.team', from_email: 'sales.team@example.com', mailbox_sender_alias: null })
  const post = (fields: Row) =>
    crm.ws.post('/email/configs', { from_email_handle: `x${randomUUID()}`, from_name: 'A', staff_email: 'a@example.com', ...fields })
  expect(await crm.ws.post('/email/configs', {})).toMatchObject(refused('from_email_handle', 'from_name', 'staff_email'))
  expect(await crm.ws.post('/email/configs', { from_email: 'a@example.com' })).toMatchObject(failed(400, 'FROM_EMAIL_NOT_WRITABLE'))
  for (const from_email_handle of ['a@example.com', 'a b', 'a+b', '.a', 'a..b', 'postmaster', 'crm', 'ä'])
    expect(await post({ from_email_handle }), from_email_handle).toMatchObject(failed(400, 'INVALID_FROM_EMAIL_HANDLE'))
  expect(await post({ from_email_handle: 'sales.team' })).toMatchObject({
    status: 409,
    body: { error: { details: { field: 'from_email_handle', id: config.id } } },
  })
  const elsewhere = await crm.app.workspace()
  const taken = await elsewhere.post('/email/configs', { from_email_handle: 'sales.team', from_name: 'B', staff_email: 'b@example.com' })
  expect(taken).toMatchObject(failed(409, 'CONFLICT'))
  expect(JSON.stringify(taken.body)).not.toContain(config.id)
  expect(await post({ mailbox_sender_alias: 'me@example.com' })).toMatchObject(failed(400, 'MAILBOX_NOT_CONNECTED'))
  expect(await post({ from_name: 'A\r\nBcc: x@example.com' })).toMatchObject(refused('from_name'))
  const path = `/email/configs/${config.id}`
  expect(await crm.ws.patch(path, { from_email: 'a@example.com' })).toMatchObject(failed(400, 'FROM_EMAIL_NOT_WRITABLE'))
  expect(await crm.ws.patch(path, { from_email_handle: '@' })).toMatchObject(failed(400, 'INVALID_FROM_EMAIL_HANDLE'))
  expect(found(await crm.ws.patch(path, { from_email_handle: 'Offers', from_name: 'B' }))).toMatchObject({
    from_email: 'offers@example.com',
    from_name: 'B',
  })
  const reader = await crm.ws.key({ scopes: ['email:read', 'email:write'] })
  expect(await reader.patch(path, { from_name: 'C' })).toMatchObject(failed(403, 'INSUFFICIENT_SCOPE'))
  expect(found(await reader.get('/email/configs'))).toMatchObject([{ id: config.id }])
  expect(found(await crm.ws.get('/email/capabilities'))).toMatchObject({
    authenticated_user: { user_id: crm.ws.userId },
    company_mail_provider: { provider: 'postmark', from_email: 'offers@example.com' },
    users_with_mailbox: [],
    send_as_aliases: [],
  })
  found(await crm.ws.delete(path))
  expect(await crm.ws.get(path)).toMatchObject(failed(404, 'NOT_FOUND'))
})
