import { expect, test } from 'vitest'
import { headerOf, textIn } from '../../../dev/gmail-world.ts'
import { failed, found, type Row, refused, useCrm, uuid } from '../crm.ts'
import { PDF, useFiles } from '../uploads.ts'
import { connecting, ME } from './connecting.ts'

const crm = useCrm({ own: true })
const box = connecting(crm)
const files = useFiles(crm)

async function connected() {
  await box.reset()
  box.gmail().addAlias(ME, 'sales@harbour.example', 'Sales “Blue”')
  box.gmail().addAlias(ME, 'pending@harbour.example', '', 'pending')
  const mailbox = await box.connect()
  const contact = await crm.contact({ email: `client-${mailbox.id}@example.com` })
  return { mailbox, contact, sent: () => box.gmail().sent(ME) }
}

test('a mailbox is connected, checked, and disconnected with its grant', async () => {
  const { mailbox } = await connected()
  expect(mailbox).toMatchObject({
    user_id: crm.ws.userId,
    provider: 'gmail',
    account_email: ME,
    status: 'connected',
    error: null,
    sender_email: null,
    aliases: [
      { email: ME, name: null, is_primary: true },
      { email: 'sales@harbour.example', name: 'Sales “Blue”', is_primary: false },
    ],
  })
  const { rows } = await crm.app.owner.query('select * from account_grants where workspace_id = $1', [crm.ws.id])
  expect(JSON.stringify(rows)).not.toMatch(/ya29|1\/\//)
  expect(found(await crm.ws.get('/email/capabilities'))).toMatchObject({
    users_with_mailbox: [{ user_id: crm.ws.userId, email: ME }],
    send_as_aliases: [ME, 'sales@harbour.example'],
  })
  expect(found(await crm.ws.get(`/company/users/${crm.ws.userId}/workspace-user-connections`))).toMatchObject([
    { platform_type: 'gmail', platform_account_name: ME, status: 'connected', mailbox_aliases: [ME, 'sales@harbour.example'] },
  ])
  box.gmail().addAlias(ME, 'new@harbour.example')
  expect(found(await crm.ws.post(`/mailboxes/${mailbox.id}/check`)).aliases).toHaveLength(3)
  expect(await crm.ws.patch(`/mailboxes/${mailbox.id}`, { sender_email: 'pending@harbour.example' })).toMatchObject(
    failed(400, 'ALIAS_NOT_CONNECTED'),
  )
  const other = crm.app.google.accounts.consent(await box.start(), { email: 'other@gmail.example' })
  expect(await box.callback(other)).toMatchObject({ status: 409, text: expect.stringContaining('another mailbox') })
  expect(found(await crm.ws.delete(`/mailboxes/${mailbox.id}`))).toMatchObject({ deleted: true })
  await crm.app.drain()
  expect(found(await crm.ws.get('/mailboxes'))).toEqual([])
  expect(await box.send({ to: 'a@example.com' })).toMatchObject(failed(400, 'MAILBOX_NOT_CONNECTED'))
})

test('an email is sent from the mailbox, as the alias, and a reply goes into the same conversation', async () => {
  const { mailbox, contact, sent } = await connected()
  const deal = await crm.opportunity()
  found(await crm.ws.patch(`/mailboxes/${mailbox.id}`, { sender_email: 'sales@harbour.example' }))
  const log = found(
    await box.send({
      contact_id: contact.id,
      deal_id: deal.id,
      subject: 'Ihr Angebot für Müller',
      cc: ['team@example.org'],
      bcc: ['boss@example.org'],
    }),
  )
  const [email, ...others] = sent()
  expect(others).toEqual([])
  expect(log).toMatchObject({
    type: 'email',
    status: 'sent',
    provider: 'gmail',
    provider_message_id: email!.id,
    thread_id: uuid,
    sender_user_id: crm.ws.userId,
    sender_email: 'sales@harbour.example',
    recipient_email: contact.email,
  })
  const header = (name: string) => headerOf(email!, name)
  expect([header('From'), header('To'), header('Cc'), header('Bcc'), header('Subject'), header('Reply-To')]).toEqual([
    ...['Sales “Blue” <sales@harbour.example>', contact.email, 'team@example.org', 'boss@example.org', 'Ihr Angebot für Müller', ''],
  ])
  expect(textIn(email!.mime, 'text/plain')).toBe('Hello Ana')
  expect(crm.app.email.sent.filter(({ To }) => To === contact.email)).toEqual([])
  for (const path of [`/contacts/${contact.id}/activities`, `/opportunities/${deal.id}/activities`])
    expect(found(await crm.ws.get(path)), path).toMatchObject([
      { activity_type: 'email', direction: 'outbound', subject: 'Ihr Angebot für Müller' },
    ])
  const reply = found(
    await crm.ws.post('/email/reply', {
      thread_id: log.thread_id,
      mode: 'personal',
      sender_user_id: crm.ws.userId,
      text: 'One more thing',
    }),
  )
  const second = sent()[1]!
  expect([second.threadId, headerOf(second, 'In-Reply-To')]).toEqual([email!.threadId, header('Message-ID')])
  expect(reply).toMatchObject({ type: 'reply', status: 'sent', thread_id: log.thread_id })
  expect(await crm.ws.post('/email/reply', { thread_id: log.thread_id, text: 'From the company' })).toMatchObject(refused('mode'))
})

test('line breaks in the name of an alias or of a contact add no header to an email from the mailbox', async () => {
  const { mailbox, contact, sent } = await connected()
  const injected = 'Ana\r\nBcc: all@example.com\r\n\r\nPay here'
  box.gmail().addAlias(ME, 'boss@harbour.example', injected)
  found(await crm.ws.post(`/mailboxes/${mailbox.id}/check`))
  found(await crm.ws.patch(`/mailboxes/${mailbox.id}`, { sender_email: 'boss@harbour.example' }))
  // As an import or an earlier version may have stored it.
  await crm.app.owner.query('update contacts set first_name = $2 where id = $1', [contact.id, injected])
  const template = found(await crm.ws.post('/email-templates', { name: 'Name', subject: 'For {{first_name}}', body_html: '<p>Hi</p>' }))
  const fields = { contact_id: contact.id, template_id: template.id, mode: 'personal', sender_user_id: crm.ws.userId }
  const draft = found(await crm.ws.post('/email/drafts', fields))
  found(await crm.ws.post(`/email/drafts/${draft.id}/send`))
  const [email] = sent()
  const header = (name: string) => headerOf(email!, name)
  expect([header('From'), header('Subject'), header('Bcc')]).toEqual([
    expect.stringMatching(/^Ana.+Pay here <boss@harbour\.example>$/),
    'For Ana Bcc: all@example.com Pay here',
    '',
  ])
  expect(await box.send({ contact_id: contact.id, subject: injected })).toMatchObject(refused('subject'))
})

test('what may not be sent is refused before anything is', async () => {
  const { contact, sent } = await connected()
  const config = (fields: Row) =>
    crm.ws.post('/email/configs', { from_email_handle: 'sales-box', from_name: 'Sales', staff_email: 'team@example.com', ...fields })
  expect(await config({ mailbox_sender_alias: 'pending@harbour.example' })).toMatchObject(failed(400, 'ALIAS_NOT_CONNECTED'))
  const { id: config_id } = found(await config({ mailbox_sender_alias: 'sales@harbour.example' }))
  expect(await crm.ws.post('/email/send', { mode: 'personal', config_id, to: 'a@example.com', subject: 'A', text: 'B' })).toMatchObject(
    failed(400, 'MAILBOX_USER_REQUIRED'),
  )
  const colleague = await crm.ws.key()
  expect(await box.send({ sender_user_id: crm.ws.userId, contact_id: contact.id }, colleague)).toMatchObject(failed(403, 'FORBIDDEN'))
  expect(await box.send({ contact_id: contact.id }, colleague)).toMatchObject(failed(400, 'MAILBOX_NOT_CONNECTED'))
  found(await crm.ws.patch(`/contacts/${contact.id}`, { email_unsubscribed: true }))
  expect(await box.send({ contact_id: contact.id })).toMatchObject(failed(409, 'RECIPIENT_UNREACHABLE'))
  expect(sent()).toEqual([])
  expect(found(await box.send({ to: 'a@example.com', config_id }))).toMatchObject({ sender_email: 'sales@harbour.example' })
})

test('each fault of Gmail leads to one email, or to none and an error', async () => {
  const { mailbox, contact, sent } = await connected()
  const send = async (subject: string) => box.send({ contact_id: contact.id, subject })
  const count = (subject: string) => sent().filter((one) => headerOf(one, 'Subject') === subject).length
  for (const mode of ['quota', '429'] as const) {
    crm.app.google.fail('gmail.send', mode)
    expect(found(await send(mode)), mode).toMatchObject({ status: 'queued' })
  }
  for (const mode of ['500', '503', 'drop'] as const) {
    crm.app.google.fail('gmail.send', mode, { accept: true })
    expect(found(await send(`${mode} accepted`)), mode).toMatchObject({ status: 'unclear' })
    crm.app.google.fail('gmail.send', mode)
    expect(found(await send(`${mode} lost`)), mode).toMatchObject({ status: 'unclear' })
  }
  crm.app.google.fail('gmail.send', '401')
  expect(found(await send('expired'))).toMatchObject({ status: 'sent' })
  crm.app.google.fail('gmail.send', '400')
  expect(await send('refused')).toMatchObject(failed(502, 'PROVIDER_ERROR'))
  await box.later()
  await box.later()
  const logs = found(await crm.ws.get(`/email/logs?contact_id=${contact.id}&limit=50`)) as Row[]
  expect(Object.fromEntries(logs.map(({ subject, status }) => [subject, status]))).toEqual({
    ...Object.fromEntries(
      ['quota', '429', '500 accepted', '500 lost', '503 accepted', '503 lost', 'drop accepted', 'drop lost', 'expired'].map((one) => [
        one,
        'sent',
      ]),
    ),
    refused: 'failed',
  })
  for (const { subject, status } of logs) expect(count(subject), subject).toBe(status === 'sent' ? 1 : 0)

  crm.app.google.accounts.revokeAll(ME)
  expect(await send('ended')).toMatchObject(failed(502, 'PROVIDER_ERROR'))
  expect(found(await crm.ws.get(`/mailboxes/${mailbox.id}`))).toMatchObject({ status: 'error', error: 'invalid_grant' })
  expect(await send('ended')).toMatchObject(failed(400, 'MAILBOX_NOT_CONNECTED'))
  expect((await box.connect()).status).toBe('connected')
  expect(found(await send('again'))).toMatchObject({ status: 'sent' })
})

test('an email whose outcome is unclear waits for its mailbox, is looked up in no other one, and ends after three days', async () => {
  const { mailbox, contact, sent } = await connected()
  const count = (subject: string) => sent().filter((one) => headerOf(one, 'Subject') === subject).length
  async function unclear(subject: string, accept: boolean): Promise<string> {
    crm.app.google.fail('gmail.send', 'drop', { accept })
    const { id, status } = found(await box.send({ contact_id: contact.id, subject }))
    expect(status).toBe('unclear')
    return id
  }
  const shown = async (id: string) => found(await crm.ws.get(`/messages/${id}`)) as Row
  const waits = { status: 'unclear', error: expect.stringContaining('connect its mailbox again within three days') }
  const disconnect = async (id: string) => {
    found(await crm.ws.delete(`/mailboxes/${id}`))
    await crm.app.drain()
  }
  const [arrived, lost] = [await unclear('arrived', true), await unclear('lost', false)]
  await disconnect(mailbox.id)
  await box.later()
  for (const id of [arrived, lost]) expect(await shown(id)).toMatchObject(waits)
  const other = await box.connect(crm.ws, 'other@gmail.example')
  await box.later(61)
  for (const id of [arrived, lost]) expect(await shown(id)).toMatchObject(waits)
  expect(box.gmail().sent('other@gmail.example')).toEqual([])
  await disconnect(other.id)
  await box.connect()
  for (let n = 0; n < 2; n++) await box.later(0)
  for (const id of [arrived, lost]) expect(await shown(id)).toMatchObject({ status: 'sent', error: null })
  expect([count('arrived'), count('lost')]).toEqual([1, 1])

  const left = await unclear('left', true)
  crm.app.google.accounts.revokeAll(ME)
  await box.later()
  expect(await shown(left)).toMatchObject(waits)
  await crm.rewrite('messages', left, { created_at: new Date(Date.now() - 3.1 * 86_400_000) })
  await box.later(61)
  const ended = { status: 'failed', error: expect.stringContaining('Look into its sent emails before you send it again') }
  expect(await shown(left)).toMatchObject(ended)
  await box.connect()
  await box.later(61)
  expect(await shown(left)).toMatchObject(ended)
  expect(count('left')).toBe(1)
})

test('a draft from a mailbox is for its author alone, with its history and events, and is sent from there at its time', async () => {
  const { contact, sent } = await connected()
  const colleague = await crm.ws.key({ role: 'client_admin' })
  const fields = { mode: 'personal', sender_user_id: crm.ws.userId, contact_id: contact.id, subject: 'Secret', text: 'Between us' }
  const drafts = [
    found(await crm.ws.post('/email/drafts', fields)),
    found(await crm.ws.post('/email/send', { ...fields, send_at: new Date(Date.now() + 86_400_000).toISOString() })),
  ] as [Row, Row]
  const [draft, scheduled] = drafts
  for (const { id, private_to } of drafts) {
    expect(private_to).toBe(crm.ws.userId)
    expect(found(await crm.ws.get(`/email/drafts/${id}`))).toMatchObject({ text: 'Between us', mode: 'personal' })
    for (const answer of [
      await colleague.get(`/email/drafts/${id}`),
      await colleague.patch(`/email/drafts/${id}`, { text: 'Read' }),
      await colleague.delete(`/email/drafts/${id}`),
      await colleague.post(`/email/drafts/${id}/cancel`),
    ])
      expect(answer).toMatchObject(failed(404, 'NOT_FOUND'))
    expect((await colleague.get(`/email/drafts/${id}/history`)).body.data ?? []).toEqual([])
  }
  expect(JSON.stringify([await colleague.get('/email/drafts'), await colleague.get('/events?limit=100')])).not.toContain('Between us')
  expect(await box.send({ ...fields, send_at: new Date(Date.now() + 86_400_000).toISOString() }, colleague)).toMatchObject(
    failed(403, 'FORBIDDEN'),
  )
  expect(found(await crm.ws.patch(`/email/drafts/${draft.id}`, { mode: 'company', sender_user_id: null })).private_to).toBeNull()
  expect(found(await colleague.get(`/email/drafts/${draft.id}`))).toMatchObject({ text: 'Between us' })
  await crm.rewrite('email_drafts', scheduled.id, { send_at: new Date(Date.now() - 1000) })
  await crm.app.cron('* * * * *')
  await crm.app.drain()
  expect(sent().map((one) => headerOf(one, 'Subject'))).toEqual(['Secret'])
  const [log] = found(await crm.ws.get('/email/logs')) as [Row]
  expect(log).toMatchObject({ provider: 'gmail', status: 'sent', sender_user_id: crm.ws.userId, subject: 'Secret' })
  const reply = found(await crm.ws.post('/email/drafts', { thread_id: log.thread_id, text: 'In the conversation' }))
  expect(reply.private_to).toBe(crm.ws.userId)
})

test('an email with large files is sent from a mailbox, also as a reply within its conversation', async () => {
  const { contact, sent } = await connected()
  const deal = await crm.opportunity()
  const large = `${PDF}\n%${'x'.repeat(5_500_000)}`
  const plan = await files.uploaded(deal.id, 'Plan für Ana.pdf', large)
  const first = found(await box.send({ contact_id: contact.id, subject: 'Größe', text: 'Grüße', attachment_ids: [plan.id] }))
  expect(first).toMatchObject({ status: 'sent' })
  const reply = { thread_id: first.thread_id, mode: 'personal', sender_user_id: crm.ws.userId, text: 'Again', attachment_ids: [plan.id] }
  expect(found(await crm.ws.post('/email/reply', reply))).toMatchObject({ status: 'sent' })
  const [one, two] = sent()
  expect([headerOf(one!, 'Subject'), textIn(one!.mime, 'text/plain'), two!.threadId]).toEqual(['Größe', 'Grüße', one!.threadId])
  for (const { mime } of [one!, two!]) {
    const [file] = mime.parts.filter(({ filename }) => filename !== '')
    expect([file!.filename, file!.content.equals(Buffer.from(large))]).toEqual(['Plan für Ana.pdf', true])
  }
})
