import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { created, failed, found, ids, type Row, refused, useCrm } from './crm.ts'
import { mailing } from './mailing.ts'

const crm = useCrm()
const mail = mailing(crm)
let people = 0
const person = (fields: Row = {}) => crm.contact({ email: `template-${++people}@example.com`, ...fields })
const texts = {
  name: 'Offer',
  subject: 'For {{first_name | you}}',
  body_html: '<p>Hello <b>{{first_name | there}}</b> of {{company_name}}</p>',
}
const template = async (fields: Row = {}) => created(await crm.ws.post('/email-templates', { ...texts, ...fields }))
const preview = async (id: string, contact?: string) =>
  found(await crm.ws.get(`/email-templates/${id}/preview${contact ? `?contact_id=${contact}` : ''}`))

test('templates are kept, refuse unknown tags by name, and are previewed for a contact with fallbacks', async () => {
  const { id } = await template()
  for (const [field, text, name] of [
    ['subject', 'Hello {{nickname}}', 'nickname'],
    ['body_html', '<p>{{ unsubscribe_url }}</p>', 'unsubscribe_url'],
    ['body_text', 'Hello {{contact.first_name | there}}', 'contact.first_name'],
  ] as const) {
    for (const answer of [
      await crm.ws.post('/email-templates', { ...texts, [field]: text }),
      await crm.ws.patch(`/email-templates/${id}`, { [field]: text }),
    ])
      expect(answer).toMatchObject({
        status: 400,
        body: { error: { details: { issues: [{ path: field, message: expect.stringContaining(`{{${name}}}`) }] } } },
      })
  }
  expect(await crm.ws.patch(`/email-templates/${id}`, { subject: 'Offer\r\nBcc: all@example.com' })).toMatchObject(refused('subject'))
  expect(await crm.ws.patch(`/email-templates/${id}`, { body_html: '<script>alert(1)</script>' })).toMatchObject(refused('body_html'))
  const contact = await person({ first_name: '<i>Ana</i>', customer_id: await crm.company('Harbour & Sons') })
  expect(await preview(id, contact.id)).toEqual({
    subject: 'For <i>Ana</i>',
    body_html: '<p>Hello <b>&lt;i&gt;Ana&lt;/i&gt;</b> of Harbour &amp; Sons</p>',
    body_text: 'Hello <i>Ana</i> of Harbour & Sons',
    empty_tags: [],
  })
  expect(await preview(id)).toMatchObject({ subject: 'For you', body_text: 'Hello there of', empty_tags: ['company_name'] })
  expect(await crm.ws.get(`/email-templates/${id}/preview?contact_id=${randomUUID()}`)).toMatchObject(refused('contact_id'))
  const copy = created(await crm.ws.post(`/email-templates/${id}/duplicate`, { name: 'Copy' }))
  expect(copy).toMatchObject({ ...texts, name: 'Copy', body_text: null })
  expect(ids(found(await crm.ws.get('/email-templates')))).toEqual([copy.id, id])
  found(await crm.ws.delete(`/email-templates/${id}`))
  expect(await crm.ws.get(`/email-templates/${id}`)).toMatchObject(failed(404, 'NOT_FOUND'))
  expect(found(await crm.ws.post(`/email-templates/${id}/restore`))).toMatchObject(texts)
})

test('an email and a reply are written from a template with the values of their contact, and signed when asked', async () => {
  const contact = await person({ first_name: 'Zoë' })
  const { id } = await template({ body_text: 'Hi {{first_name}} <{{email}}>' })
  const send = (body: Row) => crm.ws.post('/email/send', { contact_id: contact.id, template_id: id, ...body })
  expect(await send({ text: 'Hello' })).toMatchObject(refused('template_id'))
  expect(await send({ template_id: randomUUID() })).toMatchObject(refused('template_id'))
  expect(await crm.ws.post('/email/send', { to: 'a@example.com', text: 'Hello' })).toMatchObject(refused('subject'))
  expect(await send({ append_signature: true })).toMatchObject(refused('append_signature'))
  expect(await crm.ws.put('/email/signature', { html: '<script>x()</script>' })).toMatchObject(refused('html'))
  found(await crm.ws.put('/email/signature', { html: '<p onclick="x()">Kind regards, <b>Mia</b></p>' }))
  expect(found(await crm.ws.get('/email/signature'))).toMatchObject({ html: '<p>Kind regards, <b>Mia</b></p>' })
  const log = found(await send({ append_signature: true }))
  expect(log).toMatchObject({ subject: 'For Zoë', status: 'sent' })
  expect(mail.emailsTo(contact.email)).toMatchObject([
    {
      Subject: 'For Zoë',
      HtmlBody: '<p>Hello <b>Zoë</b> of </p><br><br><p>Kind regards, <b>Mia</b></p>',
      TextBody: `Hi Zoë <${contact.email}>\n\nKind regards, Mia`,
    },
  ])
  found(await crm.ws.post('/email/reply', { thread_id: log.thread_id, template_id: id }))
  found(await send({ subject: 'Mine' }))
  expect(mail.emailsTo(contact.email).map(({ Subject, TextBody }) => [Subject, TextBody])).toEqual([
    ['For Zoë', expect.stringContaining('Mia')],
    ['Re: For Zoë', `Hi Zoë <${contact.email}>`],
    ['Mine', `Hi Zoë <${contact.email}>`],
  ])
  found(await crm.ws.post('/email/send', { to: 'nobody@example.org', template_id: id }))
  expect(mail.emailsTo('nobody@example.org')).toMatchObject([{ Subject: 'For you', TextBody: 'Hi  <nobody@example.org>' }])
  const colleague = await crm.ws.key({ role: 'client_admin' })
  expect(found(await colleague.get('/email/signature'))).toEqual({ html: null, updated_at: null })
  expect(found(await crm.ws.put('/email/signature', { html: null }))).toEqual({ html: null, updated_at: null })
})
