import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { created, failed, found, ids, type Row, refused, useCrm, uuid } from './crm.ts'
import { mailing } from './mailing.ts'
import { messaging } from './messaging.ts'
import { PDF, useFiles } from './uploads.ts'

const crm = useCrm({ own: true })
const mail = mailing(crm)
const files = useFiles(crm)
const { later } = messaging(crm)
let people = 0
const person = (fields: Row = {}) => crm.contact({ email: `draft-${++people}@example.com`, ...fields })
const draft = async (fields: Row) => created(await crm.ws.post('/email/drafts', fields))
const offer = (contact: Row, fields: Row = {}) => draft({ contact_id: contact.id, subject: 'Your offer', text: 'Hello', ...fields })
const act = (id: string, verb: string, body?: Row, headers?: Record<string, string>) =>
  crm.ws.post(`/email/drafts/${id}/${verb}`, body, headers)
const tomorrow = () => new Date(Date.now() + 86_400_000).toISOString()
const schedule = async (id: string) => found(await act(id, 'schedule', { send_at: tomorrow() }))
const stored = async (id: string) => found(await crm.ws.get(`/email/drafts/${id}`))
/** As if its time had come, and the cron job with it. */
async function due(...drafts: string[]) {
  for (const id of drafts) await crm.rewrite('email_drafts', id, { send_at: new Date(Date.now() - 1000) })
  await crm.app.cron('* * * * *')
  await crm.app.drain()
}

test('a draft is kept incomplete, sent once when it is complete, and then neither changed nor sent again', async () => {
  const [contact, deal] = [await person({ first_name: 'Zoë' }), await crm.opportunity()]
  const template = created(
    await crm.ws.post('/email-templates', { name: 'A', subject: 'For {{first_name}}', body_html: '<p>Hi {{first_name}}</p>' }),
  )
  const file = await files.uploaded(deal.id)
  const { id } = await draft({})
  expect(await act(id, 'send')).toMatchObject(refused('text', 'to', 'subject'))
  expect(await crm.ws.patch(`/email/drafts/${id}`, { subject: 'A\r\nBcc: all@example.com' })).toMatchObject(refused('subject'))
  expect(await crm.ws.patch(`/email/drafts/${id}`, { contact_id: randomUUID() })).toMatchObject(refused('contact_id'))
  const fields = { contact_id: contact.id, deal_id: deal.id, template_id: template.id, attachment_ids: [file.id], cc: ['team@example.org'] }
  expect(found(await crm.ws.patch(`/email/drafts/${id}`, fields))).toMatchObject({ ...fields, status: 'draft', created_by: crm.ws.userId })
  const answers = await Promise.all([1, 2, 3].map(() => act(id, 'send')))
  expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409])
  expect(mail.emailsTo(contact.email)).toMatchObject([
    {
      Subject: 'For Zoë',
      HtmlBody: '<p>Hi Zoë</p>',
      Cc: 'team@example.org',
      Attachments: [{ Content: Buffer.from(PDF, 'latin1').toString('base64') }],
    },
  ])
  const [log] = found(await crm.ws.get('/email/logs'))
  expect(await stored(id)).toMatchObject({ status: 'sent', message_id: log?.id, error: null })
  for (const answer of [await act(id, 'send'), await crm.ws.patch(`/email/drafts/${id}`, { text: 'B' }), await act(id, 'cancel')])
    expect(answer).toMatchObject(failed(409, 'INVALID_STATE'))
  expect(ids(found(await crm.ws.get(`/email/drafts?status=sent&contact_id=${contact.id}`)))).toEqual([id])
  const reply = await draft({ thread_id: log?.thread_id, text: 'And?' })
  const key = { 'Idempotency-Key': randomUUID() }
  const [first, second] = [found(await act(reply.id, 'send', undefined, key)), found(await act(reply.id, 'send', undefined, key))]
  expect(second.id).toBe(first.id)
  expect(mail.emailsTo(contact.email).map(({ Subject }) => Subject)).toEqual(['For Zoë', 'Re: For Zoë'])
  expect(await act((await draft({ thread_id: log?.thread_id, text: 'A', subject: 'B' })).id, 'send')).toMatchObject(refused('subject'))
})

test('a draft that the provider refuses can be sent again', async () => {
  const contact = await person()
  const { id } = await offer(contact)
  crm.app.email.fail('422')
  expect(await act(id, 'send')).toMatchObject(failed(502, 'PROVIDER_ERROR'))
  expect(await stored(id)).toMatchObject({ status: 'failed', error: { code: 'PROVIDER_ERROR', message: expect.stringContaining('300') } })
  found(await act(id, 'send'))
  expect(await stored(id)).toMatchObject({ status: 'sent', error: null, message_id: uuid })
  expect(mail.emailsTo(contact.email)).toHaveLength(1)
})

test('a scheduled email leaves once at its time with what is stored then, and not before or after a cancellation', async () => {
  const contact = await person({ first_name: 'Ana' })
  const template = created(await crm.ws.post('/email-templates', { name: 'A', subject: 'For {{first_name}}', body_html: '<p>Hi</p>' }))
  const [one, two] = [await draft({ contact_id: contact.id, template_id: template.id }), await offer(contact)]
  for (const send_at of [new Date(Date.now() - 1000).toISOString(), new Date(Date.now() + 370 * 86_400_000).toISOString()])
    expect(await act(one.id, 'schedule', { send_at })).toMatchObject(refused('send_at'))
  expect(await act((await draft({})).id, 'schedule', { send_at: tomorrow() })).toMatchObject(refused('text', 'to', 'subject'))
  expect(await schedule(one.id)).toMatchObject({ status: 'scheduled', scheduled_by: crm.ws.userId })
  await schedule(two.id)
  expect(await crm.ws.patch(`/email/drafts/${one.id}`, { text: 'B' })).toMatchObject(failed(409, 'INVALID_STATE'))
  expect(await crm.ws.delete(`/email/drafts/${one.id}`)).toMatchObject(failed(409, 'INVALID_STATE'))
  await due()
  expect(found(await act(two.id, 'cancel'))).toMatchObject({ status: 'draft', send_at: null })
  expect(mail.emailsTo(contact.email)).toEqual([])
  found(await crm.ws.patch(`/contacts/${contact.id}`, { first_name: 'Bea' }))
  await crm.rewrite('email_drafts', one.id, { send_at: new Date(Date.now() - 1000) })
  const message = { type: 'work.run', kind: 'email.scheduled', workspace_id: crm.ws.id, item_id: one.id }
  // A worker has composed it from what somebody has changed since.
  const late = await crm.app.owner.query("select send_email_draft($1, $2, $3, '{}', 10, 10) as sent", [
    ...[crm.ws.id, one.id, (await stored(one.id)).version - 1],
  ])
  expect(late.rows).toEqual([{ sent: false }])
  await Promise.all([1, 2, 3].map(() => crm.app.deliver('messages', [message, { ...message }])))
  await due(one.id)
  await later()
  expect(mail.emailsTo(contact.email)).toMatchObject([{ Subject: 'For Bea' }])
  const { message_id } = await stored(one.id)
  expect(found(await crm.ws.get(`/email/logs?contact_id=${contact.id}`))).toMatchObject([
    { id: message_id, status: 'sent', sender_user_id: crm.ws.userId, type: 'email', thread_id: uuid },
  ])
  expect(found(await crm.ws.get(`/contacts/${contact.id}/activities`))).toMatchObject([{ activity_type: 'email', subject: 'For Bea' }])
})

test('a crash between the reservation and the provider sends one email, and one before it sends it at the next tick', async () => {
  const contact = await person()
  const { id } = await offer(contact)
  await schedule(id)
  await crm.rewrite('email_drafts', id, { send_at: new Date(Date.now() - 1000) })
  const message = { type: 'work.run', kind: 'email.scheduled', workspace_id: crm.ws.id, item_id: id }
  for (const outage of ['before', 'after'] as const) {
    crm.app.proxy.onRequest = (request) => {
      if (JSON.stringify(request).includes('send_email_draft') && outage === 'before') throw new Error('The database is gone')
    }
    if (outage === 'after') crm.app.email.fail('drop', 1, true)
    await crm.app.deliver('messages', [message])
    crm.app.proxy.onRequest = undefined
  }
  await crm.app.drain()
  await later()
  await later()
  expect(mail.emailsTo(contact.email)).toHaveLength(1)
  expect(await stored(id)).toMatchObject({ status: 'sent' })
  expect(found(await crm.ws.get(`/email/logs?contact_id=${contact.id}`))).toMatchObject([{ status: 'sent' }])
})

test('what can no longer be sent at its time fails with the reason: opted out, a deleted file, a member who has left', async () => {
  const [out, deal] = [await person(), await crm.opportunity()]
  const other = await person()
  const file = await files.uploaded(deal.id)
  const drafts = [await offer(out), await offer(other, { attachment_ids: [file.id] })]
  const colleague = await crm.ws.key({ role: 'client_admin' })
  const left = await offer(other, { subject: 'Left' })
  for (const { id } of drafts) await schedule(id)
  found(await colleague.post(`/email/drafts/${left.id}/schedule`, { send_at: tomorrow() }))
  found(await crm.ws.patch(`/contacts/${out.id}`, { email_unsubscribed: true }))
  found(await crm.ws.delete(`/opportunities/${deal.id}/attachments/${file.id}`))
  await crm.app.owner.query("update memberships set status = 'removed' where workspace_id = $1 and user_id = $2", [
    crm.ws.id,
    colleague.userId,
  ])
  await due(...ids([...drafts, left]))
  const errors = await Promise.all([...drafts, left].map(async ({ id }) => (await stored(id)).error))
  expect(errors).toEqual([
    { code: 'RECIPIENT_UNREACHABLE', message: expect.stringContaining('unsubscribed') },
    { code: 'VALIDATION_ERROR', message: expect.stringContaining('attachment_ids.0') },
    { code: 'FORBIDDEN', message: expect.stringContaining('no longer') },
  ])
  expect([mail.emailsTo(out.email), mail.emailsTo(other.email)]).toEqual([[], []])
  found(await crm.ws.patch(`/email/drafts/${drafts[1]?.id}`, { attachment_ids: [] }))
  found(await act(drafts[1]?.id, 'send'))
  expect(mail.emailsTo(other.email)).toHaveLength(1)
})

test('a merge moves the drafts of a contact, a restore brings them back unsent, the export has them, a purge erases them', async () => {
  const [winner, loser] = [await person(), await person()]
  const { id } = await offer(loser)
  found(await crm.ws.post('/contacts/merge', { winner_id: winner.id, loser_ids: [loser.id] }))
  expect(await stored(id)).toMatchObject({ contact_id: winner.id })
  await schedule(id)
  await crm.rewrite('email_drafts', id, { send_at: new Date(Date.now() - 1000) })
  found(await crm.ws.delete(`/contacts/${winner.id}`))
  await due()
  found(await crm.ws.post(`/contacts/${winner.id}/restore`))
  expect(await stored(id)).toMatchObject({ status: 'draft', send_at: null })
  await due()
  expect(mail.emailsTo(winner.email)).toEqual([])
  const data = found(await crm.ws.get(`/contacts/${winner.id}/data`))
  expect(data.records.email_drafts).toMatchObject([{ id, text: 'Hello' }])
  found(await crm.ws.delete(`/contacts/${winner.id}?purge=true`))
  expect(await crm.ws.get(`/email/drafts/${id}`)).toMatchObject(failed(404, 'NOT_FOUND'))
  const { rows } = await crm.app.owner.query('select fields::text from changes where entity_id = $1', [id])
  expect(JSON.stringify(rows)).not.toContain('Hello')
})

test('an email that is sent with a time becomes a scheduled draft, is checked now, can be cancelled, and leaves once', async () => {
  const contact = await person()
  const at = tomorrow()
  const body = { contact_id: contact.id, subject: 'Later', text: 'Hello', cc: ['team@example.org'], send_at: at }
  const key = { 'Idempotency-Key': randomUUID() }
  const answer = await crm.ws.post('/email/send', body, key)
  const { id } = created(answer)
  expect(answer.headers.get('location')).toBe(`/v1/email/drafts/${id}`)
  expect((await crm.ws.post('/email/send', body, key)).body.data.id).toBe(id)
  expect(await stored(id)).toMatchObject({
    status: 'scheduled',
    send_at: at,
    scheduled_by: crm.ws.userId,
    created_by: crm.ws.userId,
    subject: 'Later',
    message_id: null,
    contact_id: contact.id,
    cc: ['team@example.org'],
    mode: 'company',
    private_to: null,
  })
  const other = created(await crm.ws.post('/email/send', body))
  expect(found(await act(other.id, 'cancel'))).toMatchObject({ status: 'draft', send_at: null })
  expect(mail.emailsTo(contact.email)).toEqual([])
  await due(id)
  expect(mail.emailsTo(contact.email)).toMatchObject([{ Subject: 'Later', Cc: 'team@example.org' }])
  const [log] = found(await crm.ws.get(`/email/logs?contact_id=${contact.id}`)) as [Row]
  const reply = created(await crm.ws.post('/email/reply', { thread_id: log.thread_id, text: 'And?', send_at: at }))
  await due(reply.id)
  expect(mail.emailsTo(contact.email).map(({ Subject }) => Subject)).toEqual(['Later', 'Re: Later'])

  const count = async () => found(await crm.ws.get('/email/drafts?limit=100')).length
  const before = await count()
  expect(await crm.ws.post('/email/send', { ...body, send_at: '2020-01-01T00:00:00Z' })).toMatchObject(refused('send_at'))
  expect(await crm.ws.post('/email/send', { ...body, contact_id: randomUUID() })).toMatchObject(refused('contact_id'))
  await crm.ws.patch(`/contacts/${contact.id}`, { email_unsubscribed: true })
  expect(await crm.ws.post('/email/send', body)).toMatchObject(failed(409, 'RECIPIENT_UNREACHABLE'))
  expect(await crm.ws.post('/email/send?dry_run=true', { ...body, contact_id: (await person()).id })).toMatchObject({
    status: 200,
    body: { data: { status: 'scheduled' } },
  })
  expect(await count()).toBe(before)
})

test('the HTML of a draft is shown without what emails cannot have, whichever way it came, also in its history', async () => {
  const hostile = '<p>Hello</p><img src=x onerror="alert(1)" '
  const contact = await crm.contact({ email: 'html@example.com' })
  const draft = created(await crm.ws.post('/email/drafts', { contact_id: contact.id, subject: 'A', html: hostile }))
  expect(draft.html).toBe('<p>Hello</p>')
  const patched = found(await crm.ws.patch(`/email/drafts/${draft.id}`, { html: '<script>alert(1)</script></div><b>Bye' }))
  expect(patched.html).toBe('<b>Bye</b>')
  const send_at = new Date(Date.now() + 3_600_000).toISOString()
  found(await crm.ws.post('/email/send', { contact_id: contact.id, subject: 'B', html: hostile, send_at }))
  const drafts = found(await crm.ws.get('/email/drafts')) as Row[]
  expect(drafts.map(({ html }) => html).toSorted()).toEqual(['<b>Bye</b>', '<p>Hello</p>'])
  const history = found(await crm.ws.get(`/email/drafts/${draft.id}/history`))
  expect(JSON.stringify(history)).not.toMatch(/onerror|alert/)
  expect(await crm.ws.patch(`/email/drafts/${draft.id}`, { html: '&'.repeat(99_000) })).toMatchObject(refused('html'))
})
