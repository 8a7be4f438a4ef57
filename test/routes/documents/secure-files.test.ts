import { expect, test } from 'vitest'
import { failed, found, ids, type Row, useCrm } from '../crm.ts'
import { mailing } from '../mailing.ts'
import { texting } from '../texting.ts'
import { useFiles } from '../uploads.ts'
import { useForms, WHOLE_PDF } from './forms.ts'

/** Attachments of records and files of received messages as files of the type secure. */
const crm = useCrm({ own: true })
const mail = mailing(crm)
const sms = texting(crm)
const records = useFiles(crm)
const { upload, uploaded, usage } = useForms(crm)
const PICTURE = Buffer.from('\xff\xd8\xff\xe0 a picture', 'latin1')
const EXECUTABLE = Buffer.from('MZ\x90\x00'.padEnd(300, '\0'), 'latin1')
const secure = async (ws = crm.ws) => found(await ws.get('/files?type=secure')) as Row[]
const posted = (name: string, bytes: Buffer, ContentType = 'application/pdf') => ({
  Name: name,
  Content: bytes.toString('base64'),
  ContentType,
})

async function receiveSms(to: string, bytes: Buffer) {
  const url = crm.app.sms.numbers.find(({ phone_number }) => phone_number === to)?.sms_url as string
  await sms.post(crm.app.sms.inbound({ from: '+61412345601', to, body: 'Look', url, media: [{ type: 'image/png', bytes }] }))
  await crm.app.drain()
}

/** A file of each kind. */
async function everyKind() {
  const contact = await crm.contact({ email: `kinds-${crm.ws.id}@example.com` })
  const deal = await crm.opportunity()
  await mail.inbox()
  await mail.receive({ from: contact.email, subject: 'Plan', attachments: [posted('plan.pdf', PICTURE)] } as never)
  const number = await sms.number()
  await receiveSms(number, PICTURE)
  const own = await uploaded('notes.pdf', WHOLE_PDF, 'secure')
  return { contact, own, deal, attachment: await records.uploaded(deal.id, 'quote.pdf') }
}

test('files of records and of received messages are listed, found and downloaded as secure files', async () => {
  const { deal, own, attachment } = await everyKind()
  const list = await secure()
  expect(list.map(({ name, content_type, record_type }) => [name, content_type, record_type])).toEqual([
    ['quote.pdf', 'application/pdf', 'opportunity'],
    ['notes.pdf', 'application/pdf', null],
    ['media-1.jpg', 'image/jpeg', 'sms_message'],
    ['plan.pdf', 'image/jpeg', 'email_message'],
  ])
  expect(list[0]).toMatchObject({ id: attachment.id, type: 'secure', record_id: deal.id, sha256: attachment.sha256, url: null })
  for (const file of list) {
    expect(found(await crm.ws.get(`/files/${file.id}`))).toEqual(file)
    const { url } = found(await crm.ws.get(`/files/${file.id}/download`))
    const response = await records.open(new URL(url))
    expect([response.status, (await response.arrayBuffer()).byteLength]).toEqual([200, file.size])
  }
  const first = await crm.ws.get('/files?limit=3&sort=created_at')
  const rest = await crm.ws.get(`/files?limit=3&sort=created_at&after=${first.body.page.next}`)
  expect([...found(first), ...found(rest)].map(({ id }: Row) => id)).toEqual(list.map(({ id }) => id).toReversed())
  expect((await crm.ws.get('/files?type=secure&count=true')).body.page).toMatchObject({ count: 4, count_exact: true })
  expect(ids(found(await crm.ws.get('/files?type=document')))).toEqual([])
  expect(await usage()).toEqual({ stored: list.reduce((sum, { size }) => sum + size, 0), reserved: 0 })
  expect(own.record_type).toBe(null)
})

test('each is seen only by who may read what it belongs to', async () => {
  await everyKind()
  const list = await secure()
  const reader = await crm.ws.key({ scopes: ['files:*', 'email:read'] })
  const seen = list.filter(({ record_type }) => record_type === null || record_type === 'email_message')
  expect(await secure(reader)).toEqual(seen)
  const stranger = await crm.app.workspace()
  expect(await secure(stranger)).toEqual([])
  for (const file of list) {
    const isSeen = seen.some(({ id }) => id === file.id)
    for (const path of [`/files/${file.id}`, `/files/${file.id}/download`]) {
      expect((await reader.get(path)).status).toBe(isSeen ? 200 : 404)
      expect((await stranger.get(path)).status).toBe(404)
    }
    expect((await stranger.delete(`/files/${file.id}`)).status).toBe(404)
    if (!isSeen) expect((await reader.delete(`/files/${file.id}`)).status).toBe(404)
  }
  const half = await crm.ws.key({ scopes: ['files:*', 'opportunities:read'] })
  const attachment = list.find(({ record_type }) => record_type === 'opportunity') as Row
  expect(await half.delete(`/files/${attachment.id}`)).toMatchObject({
    status: 403,
    body: { error: { details: { missing_scopes: ['opportunities:delete'] } } },
  })
})

test('one that is used is not deleted or renamed, and the error names where', async () => {
  const { contact, deal, attachment } = await everyKind()
  const list = await secure()
  for (const [type, table] of [
    ['email_message', 'email_messages'],
    ['sms_message', 'sms_messages'],
  ]) {
    const file = list.find(({ record_type }) => record_type === type) as Row
    for (const refusal of [await crm.ws.delete(`/files/${file.id}`), await crm.ws.patch(`/files/${file.id}`, { name: 'other' })]) {
      expect(refusal).toMatchObject(failed(409, 'CONFLICT'))
      expect(refusal.body.error.details).toEqual({ referenced_by: table, ids: [file.record_id] })
    }
  }
  expect((await crm.ws.patch(`/files/${attachment.id}`, { name: 'other' })).body.error.details).toEqual({
    referenced_by: 'opportunities',
    ids: [deal.id],
  })
  found(await crm.ws.post('/email/send', { contact_id: contact.id, subject: 'Your offer', text: 'Hello', attachment_ids: [attachment.id] }))
  const sent = await crm.ws.delete(`/files/${attachment.id}`)
  expect(sent).toMatchObject(failed(409, 'CONFLICT'))
  expect(sent.body.error.details).toMatchObject({ referenced_by: 'email_messages', field: 'source_id', ids: [expect.any(String)] })

  const unused = await records.uploaded(deal.id, 'draft.pdf')
  const stale = await crm.ws.delete(`/files/${unused.id}`, { 'If-Match': '"7"' })
  expect(stale).toMatchObject(failed(412, 'PRECONDITION_FAILED'))
  expect(found(await crm.ws.delete(`/files/${unused.id}`))).toEqual({ id: unused.id, deleted: true })
  expect(found(await crm.ws.get(`/opportunities/${deal.id}/attachments`)).map(({ id }: Row) => id)).toEqual([attachment.id])
  found(await crm.ws.post(`/opportunities/${deal.id}/attachments/${unused.id}/restore`))
  expect(found(await crm.ws.get(`/files/${unused.id}`))).toMatchObject({ name: 'draft.pdf', record_id: deal.id })
})

test('what is received is stored whatever it is and however full the workspace is; uploads are refused then', async () => {
  await crm.app.owner.query('insert into storage_usage (workspace_id, quota_bytes) values ($1, 10)', [crm.ws.id])
  const contact = await crm.contact({ email: `full-${crm.ws.id}@example.com` })
  await mail.inbox()
  await mail.receive({ from: contact.email, subject: 'Plan', attachments: [posted('plan.pdf', EXECUTABLE)] } as never)
  await receiveSms(await sms.number(), PICTURE)
  const list = await secure()
  expect(list.map(({ name, content_type }) => [name, content_type])).toEqual([
    ['media-1.jpg', 'image/jpeg'],
    ['plan.pdf', 'application/x-msdownload'],
  ])
  expect(await usage()).toEqual({ stored: EXECUTABLE.length + PICTURE.length, reserved: 0 })
  const refusal = await upload('offer.pdf', WHOLE_PDF)
  expect(refusal).toMatchObject(failed(413, 'PAYLOAD_TOO_LARGE'))
  expect(refusal.body.error.details).toEqual({ free_bytes: 0 })
  found(await crm.ws.delete(`/contacts/${contact.id}?purge=true`))
  expect(await usage()).toMatchObject({ stored: PICTURE.length })
})
