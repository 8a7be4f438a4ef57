import { expect, test } from 'vitest'
import type { SentSms } from '../../dev/sms-emulator.ts'
import { mediaNameOf, mediaTypeOf } from '../../src/features/message-media/rules/message-media.ts'
import { created, failed, found, type Row, refused, useCrm } from './crm.ts'
import { texting } from './texting.ts'
import { PDF, useFiles } from './uploads.ts'
import { whatsapping } from './whatsapping.ts'

/** Files that are received by SMS and WhatsApp. */
const crm = useCrm({ own: true })
const sms = texting(crm)
const whatsapp = whatsapping(crm)
const files = useFiles(crm)
const ANA = '+61412345678'
const PICTURE = { type: 'image/jpeg', bytes: Buffer.from('\xff\xd8\xff a picture', 'latin1') }

/** As if the time until anything is tried again had gone by. */
async function later(times = 1) {
  for (let n = 0; n < times; n++) {
    await crm.app.owner.query('update message_media set due_at = now() where due_at is not null and workspace_id = $1', [crm.ws.id])
    await crm.app.cron('* * * * *')
    await crm.app.drain()
  }
}
async function receiveSms(to: string, media: { type: string; bytes: Uint8Array }[], body = 'Look') {
  const url = crm.app.sms.numbers.find(({ phone_number }) => phone_number === to)?.sms_url as string
  const callback = crm.app.sms.inbound({ from: ANA, to, body, url, media })
  expect((await sms.post(callback)).status).toBe(200)
  await crm.app.drain()
  return callback
}
const smsMessages = async (number: string) => {
  const [conversation] = await sms.conversations(`?phone_number=${encodeURIComponent(number)}`)
  return sms.messages(conversation?.id)
}
async function download(path: string): Promise<{ bytes: Buffer; name: string | null }> {
  const { url } = found(await crm.ws.get(path))
  const { pathname, search } = new URL(url)
  const response = await crm.app.fetch(pathname + search)
  expect(response.status).toBe(200)
  return { bytes: Buffer.from(await response.arrayBuffer()), name: response.headers.get('content-disposition') }
}

test('the files of an SMS are fetched once after it was answered, and are downloaded by a link', async () => {
  const number = await sms.number()
  const callback = await receiveSms(number, [PICTURE, { type: 'video/3gpp', bytes: Buffer.from('a film') }])
  await sms.post(callback)
  await crm.app.drain()
  const [message, ...others] = (await smsMessages(number)) as [Row]
  expect(others).toEqual([])
  expect(message).toMatchObject({
    media_count: 2,
    media: [
      { status: 'stored', name: 'media-1.jpg', mimeType: 'image/jpeg', size: PICTURE.bytes.length, error: null },
      { status: 'stored', name: 'media-2.3gp', mimeType: 'video/3gpp', size: 6 },
    ],
  })
  const [picture] = message.media as [Row]
  const { bytes, name } = await download(`/sms/media/${picture.id}/download`)
  expect([bytes.equals(PICTURE.bytes), name]).toEqual([true, expect.stringContaining('media-1.jpg')])
  expect(await crm.ws.get(`/whatsapp/media/${picture.id}/download`)).toMatchObject(failed(404, 'NOT_FOUND'))
  const other = await crm.app.workspace()
  expect(await other.get(`/sms/media/${picture.id}/download`)).toMatchObject(failed(404, 'NOT_FOUND'))
})

test('a file that fails is tried again without delaying others; too large ones and strange addresses fail at once', async () => {
  const number = await sms.number()
  crm.app.sms.media.failures.add('500')
  await receiveSms(number, [PICTURE, PICTURE])
  const media = async () => (await smsMessages(number)).flatMap((one) => one.media as Row[])
  expect((await media()).map(({ status }) => status).toSorted()).toEqual(['stored', 'waiting'])
  const waiting = (await media()).find(({ status }) => status === 'waiting') as Row
  expect(waiting.error).toContain('500')
  expect(await crm.ws.get(`/sms/media/${waiting.id}/download`)).toMatchObject(failed(409, 'INVALID_STATE'))
  await later()
  expect((await media()).map(({ status }) => status)).toEqual(['stored', 'stored'])

  crm.app.sms.media.clear()
  await receiveSms(number, [{ type: 'image/png', bytes: Buffer.alloc(10_000_001) }], 'Large')
  expect((await media()).at(-1)).toMatchObject({ status: 'failed', error: expect.stringContaining('larger') })
  const callback = await receiveSms(number, [PICTURE], 'Lost')
  crm.app.sms.media.files.clear()
  await crm.app.owner.query("update message_media set status = 'waiting', due_at = now(), attempts = 0 where id = $1", [
    (await media()).at(-1)?.id,
  ])
  await later(7)
  const lost = (await media()).at(-1)
  expect(lost).toMatchObject({ status: 'failed', error: expect.any(String) })
  const { rows } = await crm.app.owner.query('select attempts, due_at from message_media where id = $1', [lost?.id])
  expect(rows).toEqual([{ attempts: 6, due_at: null }])
  const strange = crm.app.sms.posted(callback.url, {
    MessageSid: `MM${'a'.repeat(32)}`,
    From: ANA,
    To: number,
    Body: 'Strange',
    NumMedia: '1',
    MediaUrl0: 'https://169.254.169.254/latest',
  })
  await sms.post(strange)
  await crm.app.drain()
  expect((await media()).at(-1)).toMatchObject({ status: 'failed', error: expect.stringContaining('no address') })
})

test('the files of WhatsApp messages are fetched by their id, and go when the message is deleted in its chat', async () => {
  await whatsapp.paired()
  const content = Buffer.from('%PDF-1.7 plan')
  const post = async (id: string, message: Row, file: Buffer | null = content) => {
    if (file) whatsapp.world().files.set(id, file.toString('base64'))
    await whatsapp.receive({ id, message })
  }
  await post('DOC1', { documentMessage: { mimetype: 'application/pdf', fileName: 'plan.pdf', fileLength: '13', caption: 'The plan' } })
  await post('BIG1', { videoMessage: { mimetype: 'video/mp4', fileLength: '30000000' } })
  await post('LATE1', { imageMessage: { mimetype: 'image/jpeg', fileLength: '13' } }, null)
  const [conversation] = await whatsapp.conversations()
  const byType = async () =>
    Object.fromEntries((await whatsapp.messages(conversation?.id)).map(({ type, media }) => [type, (media as Row[])[0]])) as Record<
      string,
      Row
    >
  expect(await byType()).toMatchObject({
    document: { status: 'stored', name: 'plan.pdf', mimeType: 'application/pdf', size: 13 },
    video: { status: 'failed', error: expect.stringContaining('larger') },
    image: { status: 'waiting', error: expect.stringContaining('400') },
  })
  whatsapp.world().files.set('LATE1', content.toString('base64'))
  await later()
  const { document, image } = await byType()
  // What it is follows from its bytes, whatever the sender says.
  expect(image).toMatchObject({ status: 'stored', name: 'media-1.pdf', mimeType: 'application/pdf' })
  expect((await download(`/whatsapp/media/${document?.id}/download`)).bytes.toString()).toBe('%PDF-1.7 plan')
  const token = new URL(whatsapp.connection().webhook?.url as string).pathname
  await whatsapp.post({ event: 'messages.delete', data: { id: 'DOC1' } }, token)
  await crm.app.drain()
  expect((await whatsapp.messages(conversation?.id)).find(({ type }) => type === 'document')).toMatchObject({ is_deleted: true, media: [] })
  expect(await crm.ws.get(`/whatsapp/media/${document?.id}/download`)).toMatchObject(failed(404, 'NOT_FOUND'))
})

test.each([
  [null, 'image/jpeg', 'media-1.jpg'],
  [null, null, 'media-1.bin'],
  ['..\\a/b', 'application/pdf', '.._a_b'],
  ['plan', 'application/pdf', 'plan.pdf'],
  ['  ', 'audio/ogg', 'media-1.ogg'],
])('the file %j of the type %j is called %s', (name, type, expected) => {
  expect(mediaNameOf(name, type, 0)).toBe(expected)
})

test('a media type has no parameters', () => {
  expect([mediaTypeOf('Audio/OGG; codecs=opus'), mediaTypeOf('nothing'), mediaTypeOf(undefined)]).toEqual(['audio/ogg', null, null])
})

test('an SMS with files has addresses that the provider can read for some hours, and is sent once after a lost answer', async () => {
  await sms.grant()
  await sms.number()
  const to = '+61412345679'
  const deal = await crm.opportunity()
  const file = await files.uploaded(deal.id)
  const send = (fields: Row) => sms.send({ to_phone: to, text: 'Your quote', ...fields })
  crm.app.sms.fail('drop', 1, true)
  const { balance } = await sms.credits()
  const sent = created(await send({ attachment_ids: [file.id], text: 'Your quote '.repeat(20) }))
  expect(sent).toMatchObject({
    media_count: 1,
    media: [{ status: 'attached', name: file.name, size: PDF.length }],
    segments: 1,
    credits: 3,
  })
  expect(await sms.credits()).toMatchObject({ balance: balance - 3, reserved: 3 })
  await crm.app.drain()
  await crm.app.owner.query('update messages set due_at = now() where due_at is not null and workspace_id = $1', [crm.ws.id])
  await crm.app.cron('* * * * *')
  await crm.app.drain()
  const [message, ...others] = sms.sentTo(to)
  expect(others).toEqual([])
  expect(await sms.credits()).toMatchObject({ balance: balance - 3, reserved: 0 })
  const [url] = (message as SentSms).media_urls as [string]
  const { pathname, search } = new URL(url)
  const read = await crm.app.fetch(pathname + search)
  expect([read.status, read.headers.get('content-type'), await read.text()]).toEqual([200, 'application/pdf', PDF])
  expect(Number(new URLSearchParams(search).get('expires')) * 1000 - Date.now()).toBeGreaterThan(4 * 3_600_000)
  expect((await crm.app.fetch(`${pathname}x${search}`)).status).toBe(403)
  const [media] = sent.media as [Row]
  expect((await download(`/sms/media/${media.id}/download`)).bytes.toString()).toBe(PDF)

  expect(await send({ attachment_ids: [crm.ws.id] })).toMatchObject(refused('attachment_ids.0'))
  const writer = await crm.ws.key({ scopes: ['sms:send'] })
  expect(await writer.post('/sms/send', { to_phone: to, text: 'A', attachment_ids: [file.id] })).toMatchObject(
    failed(403, 'INSUFFICIENT_SCOPE'),
  )
  await crm.app.owner.query('update attachments set size = 6000000 where id = $1', [file.id])
  expect(await send({ attachment_ids: [file.id] })).toMatchObject(failed(413, 'ATTACHMENTS_TOO_LARGE'))
  await crm.app.owner.query('update attachments set size = $2 where id = $1', [file.id, PDF.length])
  await crm.app.capture(true)
  const late = created(await send({ attachment_ids: [file.id], text: 'Late' }))
  expect(await sms.credits()).toMatchObject({ balance: balance - 6, reserved: 3 })
  found(await crm.ws.delete(`/opportunities/${deal.id}/attachments/${file.id}`))
  await crm.app.capture(false)
  await crm.app.cron('* * * * *')
  await crm.app.drain()
  expect(found(await crm.ws.get(`/messages/${late.message_id}`))).toMatchObject({
    status: 'failed',
    error: expect.stringContaining('was deleted'),
  })
  expect(await sms.credits()).toMatchObject({ balance: balance - 3, reserved: 0 })
  expect(sms.sentTo(to)).toHaveLength(1)
  expect(await crm.ws.get(`/sms/media/${late.media[0].id}/download`)).toMatchObject(failed(409, 'INVALID_STATE'))
})

test('a file is sent by WhatsApp with its caption, once after a lost answer', async () => {
  await whatsapp.paired()
  const deal = await crm.opportunity()
  const file = await files.uploaded(deal.id)
  crm.app.whatsapp.fail('message/sendMedia', 'drop', 1, true)
  const sent = await whatsapp.send({ to_phone: ANA, text: 'The plan', attachment_id: file.id })
  await whatsapp.flush()
  await whatsapp.again()
  await whatsapp.flush()
  expect(whatsapp.world().sent).toMatchObject([{ text: 'The plan', file: Buffer.from(PDF, 'latin1').toString('base64') }])
  const messages = await whatsapp.messages(sent.conversation_id)
  expect(messages).toMatchObject([
    {
      type: 'document',
      body_text: 'The plan',
      status: 'sent',
      media: [{ status: 'attached', name: file.name }],
      media_type: 'application/pdf',
    },
  ])
  expect((await download(`/whatsapp/media/${messages[0]?.media[0].id}/download`)).bytes.toString('latin1')).toBe(PDF)
  expect(await crm.ws.post('/whatsapp/send', { to_phone: ANA, text: 'A', attachment_id: crm.ws.id })).toMatchObject(
    refused('attachment_id'),
  )
})
