import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { failed, found, type Row, refused, useCrm } from './crm.ts'
import { mailing } from './mailing.ts'
import { messaging } from './messaging.ts'
import { PDF, useFiles } from './uploads.ts'

const crm = useCrm({ own: true })
const mail = mailing(crm)
const files = useFiles(crm)
const { later } = messaging(crm)
let people = 0
const person = () => crm.contact({ email: `files-${++people}@example.com` })
const send = (contact: Row, attachment_ids: string[], fields: Row = {}) =>
  crm.ws.post('/email/send', { contact_id: contact.id, subject: 'Your offer', text: 'Hello', attachment_ids, ...fields })
const base64 = (content: string) => Buffer.from(content, 'latin1').toString('base64')

test('files of records are attached in the format of the provider, and shown in the thread with a link to each', async () => {
  const [contact, deal] = [await person(), await crm.opportunity()]
  const [quote, terms] = [await files.uploaded(deal.id, 'Angebot für Ana.pdf'), await files.uploaded(deal.id, 'terms.pdf', `${PDF} 2`)]
  const log = found(await send(contact, [terms.id, quote.id]))
  expect(mail.emailsTo(contact.email)).toMatchObject([
    {
      Attachments: [
        { Name: 'terms.pdf', ContentType: 'application/pdf', Content: base64(`${PDF} 2`) },
        { Name: 'Angebot für Ana.pdf', ContentType: 'application/pdf', Content: base64(PDF) },
      ],
    },
  ])
  const [message] = await mail.messages(log.thread_id)
  expect(message).toMatchObject({
    has_attachment: true,
    attachment_filename: 'terms.pdf',
    attachments: [{ name: 'terms.pdf', mimeType: 'application/pdf', size: PDF.length + 2 }, { name: 'Angebot für Ana.pdf' }],
  })
  const link = () => crm.ws.get(`/email/attachments/${message?.attachments[0].id}/download`)
  expect(await (await files.open(new URL(found(await link()).url))).text()).toBe(`${PDF} 2`)
  found(await crm.ws.post('/email/reply', { thread_id: log.thread_id, text: 'Again', attachment_ids: [quote.id] }))
  expect(mail.emailsTo(contact.email)[1]).toMatchObject({ Attachments: [{ Name: 'Angebot für Ana.pdf' }] })
  found(await crm.ws.delete(`/opportunities/${deal.id}/attachments/${terms.id}`))
  expect(await link()).toMatchObject(failed(409, 'INVALID_STATE'))
  found(await crm.ws.post(`/opportunities/${deal.id}/attachments/${terms.id}/restore`))
  expect(await (await files.open(new URL(found(await link()).url))).text()).toBe(`${PDF} 2`)
  found(await crm.ws.delete(`/opportunities/${deal.id}?purge=true`))
  expect((await mail.messages(log.thread_id))[0]).toMatchObject({ attachments: [{ name: '(purged)' }, { name: '(purged)' }] })
})

test('files that are unknown, unreadable, lost or too large are refused before anything is sent', async () => {
  const [contact, deal] = [await person(), await crm.opportunity()]
  const quote = await files.uploaded(deal.id)
  const other = await crm.app.workspace()
  const foreign = await other.post('/contacts', { first_name: 'Ben' })
  expect(await send(contact, [quote.id, randomUUID()])).toMatchObject(refused('attachment_ids.1'))
  expect(
    await send(
      contact,
      Array.from({ length: 11 }, () => quote.id),
    ),
  ).toMatchObject(refused('attachment_ids'))
  expect(
    await other.post('/email/send', {
      contact_id: found(foreign).id,
      to: 'a@example.com',
      subject: 'A',
      text: 'A',
      attachment_ids: [quote.id],
    }),
  ).toMatchObject(refused('attachment_ids.0'))
  const writer = await crm.ws.key({ scopes: ['email:send', 'contacts:read'] })
  expect(await writer.post('/email/send', { contact_id: contact.id, subject: 'A', text: 'A', attachment_ids: [quote.id] })).toMatchObject({
    status: 403,
    body: { error: { details: { missing_scopes: ['opportunities:read'] } } },
  })
  const half = PDF + 'x'.repeat(3_800_000)
  const [one, two] = [await files.uploaded(deal.id, 'one.pdf', half), await files.uploaded(deal.id, 'two.pdf', half)]
  expect(await send(contact, [one.id, two.id])).toMatchObject({
    status: 413,
    body: { error: { code: 'ATTACHMENTS_TOO_LARGE', details: { max: 10_000_000, size: expect.any(Number) } } },
  })
  await crm.rewrite('attachments', quote.id, { state: 'missing' })
  expect(await send(contact, [quote.id])).toMatchObject(refused('attachment_ids.0'))
  expect([mail.emailsTo(contact.email), await crm.count('messages')]).toEqual([[], 0])
  found(await send(contact, [one.id]))
  expect(mail.emailsTo(contact.email)).toHaveLength(1)
})

test('an email with files that has to wait is sent with them later, once, and not at all when a file was deleted meanwhile', async () => {
  const [contact, deal] = [await person(), await crm.opportunity()]
  const [kept, gone] = [await files.uploaded(deal.id, 'kept.pdf'), await files.uploaded(deal.id, 'gone.pdf')]
  crm.app.email.fail('429', 2)
  const logs = [found(await send(contact, [kept.id])), found(await send(contact, [kept.id, gone.id]))]
  expect(logs).toMatchObject([{ status: 'queued' }, { status: 'queued' }])
  found(await crm.ws.delete(`/opportunities/${deal.id}/attachments/${gone.id}`))
  await later()
  await later()
  expect(mail.emailsTo(contact.email)).toMatchObject([{ Attachments: [{ Name: 'kept.pdf', Content: base64(PDF) }] }])
  const entries = found(await crm.ws.get(`/email/logs?contact_id=${contact.id}`))
  expect(entries).toMatchObject([{ status: 'failed', error: 'The attached file gone.pdf was deleted' }, { status: 'sent' }])
})
