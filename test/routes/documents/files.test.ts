import { createHash } from 'node:crypto'
import sharp from 'sharp'
import { describe, expect, test } from 'vitest'
import { created, failed, found, ids, refused, useCrm } from '../crm.ts'
import { fileOf } from '../uploads.ts'
import { whileLocked } from '../waiting.ts'
import { archive, declaredPng, photoOf, pngOf, useForms, WHOLE_PDF } from './forms.ts'

const crm = useCrm({ own: true })
const { post, upload, uploaded, objects, usage } = useForms(crm)
const open = (url: string) => crm.app.fetch(url.slice(new URL(url).origin.length))

describe('a file', () => {
  test('is uploaded, listed by type, downloaded, renamed, deleted and restored', async () => {
    const file = await uploaded('Offer for März.pdf')
    expect(file).toMatchObject({
      type: 'document',
      name: 'Offer for März.pdf',
      content_type: 'application/pdf',
      size: WHOLE_PDF.length,
      url: null,
      sha256: createHash('sha256').update(WHOLE_PDF).digest('hex'),
      state: 'stored',
      uploaded_by: crm.ws.userId,
      width: null,
    })
    const secret = created(await upload('notes.txt', 'Call before noon.'))
    expect(secret).toMatchObject({ type: 'secure', content_type: 'text/plain' })
    expect(ids(found(await crm.ws.get('/files')))).toEqual(ids([secret, file]))
    expect(ids(found(await crm.ws.get('/files?type=document')))).toEqual([file.id])
    expect(found(await crm.ws.get(`/files/${file.id}`))).toEqual(file)

    const { url, expires_at } = found(await crm.ws.get(`/files/${file.id}/download`))
    expect((Date.parse(expires_at) - Date.now()) / 1000).toBeLessThanOrEqual(60)
    const download = await open(url)
    expect(await download.text()).toBe(WHOLE_PDF)
    expect(download.headers.get('content-disposition')).toMatch(/^attachment; filename="Offer for M_rz.pdf"/)

    expect(found(await crm.ws.patch(`/files/${file.id}`, { name: '../final\u202e.exe' }))).toMatchObject({ name: 'final.exe.pdf' })
    expect(found(await crm.ws.patch(`/files/${file.id}`, { name: 'terms.txt' }))).toMatchObject({ name: 'terms.txt.pdf' })
    for (const [name, shown] of [
      ['calls', 'calls.txt'],
      ['calls.txt', 'calls.txt'],
      ['Calls.TXT', 'Calls.txt'],
    ])
      expect(found(await crm.ws.patch(`/files/${secret.id}`, { name }))).toMatchObject({ name: shown })
    expect(found(await crm.ws.delete(`/files/${file.id}`))).toEqual({ id: file.id, deleted: true })
    expect(await crm.ws.get(`/files/${file.id}/download`)).toMatchObject(failed(404, 'NOT_FOUND'))
    expect(await usage()).toMatchObject({ stored: secret.size })
    expect(found(await crm.ws.post(`/files/${file.id}/restore`))).toMatchObject({ id: file.id })
    expect(await usage()).toMatchObject({ stored: secret.size + WHOLE_PDF.length })
    expect(await objects()).toHaveLength(2)
  })

  test('that a document or a section uses is not deleted, and the error names where', async () => {
    const file = await uploaded()
    const document = created(await crm.ws.post('/documents', { name: 'Offer', file_id: file.id }))
    const refusal = await crm.ws.delete(`/files/${file.id}`)
    expect(refusal).toMatchObject(failed(409, 'CONFLICT'))
    expect(refusal.body.error.details).toEqual({ referenced_by: 'documents', field: 'file_id', ids: [document.id] })

    const image = await uploaded('logo.png', await pngOf(20, 10), 'image')
    const template = created(await crm.ws.post('/document-templates', { name: 'Proposal' }))
    const section = { type: 'image-block', content: { image_file_id: image.id } }
    const { id } = created(await crm.ws.post(`/document-templates/${template.id}/sections`, section))
    const second = await crm.ws.delete(`/files/${image.id}`)
    expect(second.body.error.details).toMatchObject({ referenced_by: 'document_template_sections', ids: [id] })

    found(await crm.ws.delete(`/documents/${document.id}`))
    found(await crm.ws.delete(`/files/${file.id}`))
  })

  test('whose object was lost is reported, and an object without a row is removed', async () => {
    const file = await uploaded()
    const [key] = (await objects()) as [string]
    const files = await crm.app.files()
    await files.delete(key)
    const orphan = `files/${crm.ws.id}/018f0000-0000-7000-8000-000000000000`
    await files.put(orphan, 'left over')
    await crm.app.cron('17 3 * * *')
    expect(found(await crm.ws.get(`/files/${file.id}`))).toMatchObject({ state: 'missing' })
    expect(await crm.ws.get(`/files/${file.id}/download`)).toMatchObject(failed(409, 'INVALID_STATE'))
    expect(await objects()).toEqual([])
  })
})

describe('an image', () => {
  test('is public in several widths, without what its camera wrote, until it is deleted', async () => {
    const photo = await photoOf(2400, 1200)
    expect((await sharp(photo).metadata()).exif).toBeDefined()
    const image = await uploaded('beach.jpg', photo, 'image')
    expect(image).toMatchObject({ type: 'image', content_type: 'image/jpeg', width: 2400, height: 1200 })
    const original = await open(image.url)
    expect(original.headers.get('content-security-policy')).toContain('sandbox')
    const stored = new Uint8Array(await original.arrayBuffer())
    expect(image.sha256).toBe(createHash('sha256').update(stored).digest('hex'))
    expect(image.size).toBe(stored.length)
    expect((await sharp(stored).metadata()).exif).toBeUndefined()
    for (const width of [160, 1600]) {
      const variant = await open(`${image.url}/${width}`)
      expect(variant.headers.get('content-type')).toBe('image/webp')
      expect(await sharp(new Uint8Array(await variant.arrayBuffer())).metadata()).toMatchObject({ format: 'webp', width })
      await crm.app.drain()
      expect((await open(`${image.url}/${width}`)).status).toBe(200)
    }
    expect((await open(`${image.url}/161`)).status).toBe(404)
    found(await crm.ws.delete(`/files/${image.id}`))
    expect((await open(image.url)).status).toBe(404)
    expect((await open(`${image.url}/160`)).status).toBe(404)
  })

  test('that a camera was turned for has the size that is seen', async () => {
    const turned = async (orientation: number) =>
      new Uint8Array(
        await sharp(await photoOf(30, 20))
          .withMetadata({ orientation })
          .jpeg()
          .toBuffer(),
      )
    for (const [orientation, width, height] of [
      [1, 30, 20],
      [4, 30, 20],
      [5, 20, 30],
      [8, 20, 30],
    ] as const)
      expect(await uploaded('turned.jpg', await turned(orientation), 'image'), `${orientation}`).toMatchObject({ width, height })
  })

  test('is all that is public', async () => {
    const file = await uploaded()
    expect((await crm.app.fetch(`/images/${file.id}`)).status).toBe(404)
    expect((await crm.app.fetch('/images/nothing')).status).toBe(404)
  })
})

describe('what is refused', () => {
  test.each<[string, [string, string][], string[]]>([
    [
      'two types',
      [
        ['type', 'secure'],
        ['type', 'document'],
      ],
      ['type'],
    ],
    [
      'the same type twice',
      [
        ['type', 'secure'],
        ['type', 'secure'],
      ],
      ['type'],
    ],
    ['an empty type', [['type', '']], ['type']],
    ['a type that goes on behind a known one', [['type', `secure${'x'.repeat(5_000)}`]], ['type']],
    ['a field that every object has', [['constructor', 'secure']], ['constructor']],
  ])('a form with %s, before or behind its file', async (_, fields, paths) => {
    const file: [string, File] = ['file', fileOf('offer.pdf', WHOLE_PDF)]
    const headers = { authorization: `Bearer ${crm.ws.apiKey}` }
    for (const parts of [
      [...fields, file],
      [file, ...fields],
    ])
      expect(await post('/v1/files', parts, headers)).toMatchObject(refused(...paths))
    expect(await objects()).toEqual([])
    expect(await usage()).toMatchObject({ stored: 0, reserved: 0 })
  })

  const TYPE = failed(415, 'UNSUPPORTED_MEDIA_TYPE')
  const html = '<html><script>alert(1)</script></html>'
  test.each([
    ['an executable named .pdf', 'offer.pdf', 'MZ\x90\x00'.padEnd(200, '\0'), 'document', TYPE],
    ['a script named .txt', 'run.txt', '#!/bin/sh\nrm -rf /', 'secure', TYPE],
    ['an archive', 'files.zip', archive(['a.txt'], 10), 'secure', TYPE],
    ['a document with macros', 'a.docx', archive(['[Content_Types].xml', 'word/document.xml', 'word/vbaProject.bin'], 10), 'secure', TYPE],
    ['a text as a document', 'notes.txt', 'Call before noon.', 'document', TYPE],
    ['a PDF as an image', 'offer.pdf', WHOLE_PDF, 'image', TYPE],
    ['a GIF as an image', 'a.gif', 'GIF89a\x01\x00\x01\x00', 'image', TYPE],
    ['a PDF with HTML after its end', 'offer.pdf', WHOLE_PDF + html, 'document', refused('file')],
    ['a PDF without its end', 'offer.pdf', WHOLE_PDF.slice(0, 60), 'document', refused('file')],
    ['a picture with HTML at its end', 'a.gif', `GIF89a\x01\x00\x01\x00\x3b${html};`, 'secure', refused('file')],
    ['400 megapixels', 'huge.png', declaredPng(20_000, 20_000), 'image', refused('file')],
    ['a side of 60,000 pixels', 'long.png', declaredPng(60_000, 10), 'image', refused('file')],
    ['a picture that is cut off', 'cut.png', declaredPng(20, 20), 'image', refused('file')],
    ['a picture without its size', 'photo.jpg', `\xff\xd8\xff\xe0\x00\x10JFIF\x00\x01${'\0'.repeat(20)}`, 'image', refused('file')],
    ['a picture without width', 'flat.png', declaredPng(0, 20), 'image', refused('file')],
    ['a picture without height', 'flat.png', declaredPng(20, 0), 'image', refused('file')],
    ['a picture of more than 10 MB', 'large.png', Buffer.alloc(10_500_000, declaredPng(20, 20)), 'image', failed(413, 'PAYLOAD_TOO_LARGE')],
    ['a zip bomb', 'a.xlsx', archive(['[Content_Types].xml', 'xl/workbook.xml'], 300_000_000), 'secure', refused('file')],
    ['another type', 'offer.pdf', WHOLE_PDF, 'private', refused('type')],
  ] as const)('%s, and nothing is stored or reserved', async (_, name, content, type, answer) => {
    expect(await upload(name, content, type)).toMatchObject(answer)
    expect(await objects()).toEqual([])
    expect(found(await crm.ws.get('/files'))).toEqual([])
    expect(await usage()).toEqual({ stored: 0, reserved: 0 })
  })

  test.each([
    ['../../etc/passwd.pdf', 'passwd.pdf'],
    ['a\r\nSet-Cookie: b.pdf', 'aSet-Cookie_ b.pdf'],
  ])('the name %j becomes %j', async (name, clean) => {
    expect(await uploaded(name)).toMatchObject({ name: clean })
  })

  test('a caller without the right', async () => {
    for (const options of [{ scopes: ['files:read'] }, { level: 'read_only' as const }, { level: 'approval' as const }]) {
      const key = await crm.ws.key({ scopes: ['*:*'], ...options })
      expect((await upload('offer.pdf', WHOLE_PDF, 'document', key)).status).toBe(403)
    }
    expect(await objects()).toEqual([])
  })

  test('the file of another workspace', async () => {
    const [stranger, file] = [await crm.app.workspace(), await uploaded()]
    for (const path of ['', '/download']) expect(await stranger.get(`/files/${file.id}${path}`)).toMatchObject(failed(404, 'NOT_FOUND'))
    expect(await stranger.post('/documents', { name: 'Theirs', file_id: file.id })).toMatchObject(refused('file_id'))
    expect(await stranger.delete(`/files/${file.id}`)).toMatchObject(failed(404, 'NOT_FOUND'))
  })
})

describe('the quota', () => {
  const allow = (bytes: number) =>
    crm.app.owner.query(
      `insert into storage_usage (workspace_id, quota_bytes) values ($1, $2) on conflict (workspace_id) do update set quota_bytes = $2`,
      [crm.ws.id, bytes],
    )

  test('is not exceeded by uploads at the same time, and a deletion frees it', async () => {
    // Each is reserved with its form, which is a little larger.
    await allow(3 * 1000)
    const content = `%PDF-1.7\n${'x'.repeat(500)}\n%%EOF\n`
    const answers = await Promise.all(Array.from({ length: 12 }, (_, n) => upload(`${n}.pdf`, content, 'document')))
    const stored = answers.filter(({ status }) => status === 201)
    expect(stored.length).toBeGreaterThan(0)
    expect(stored.length * content.length).toBeLessThanOrEqual(3000)
    const full = answers.filter(({ status }) => status !== 201)
    expect(full.length).toBeGreaterThan(0)
    for (const answer of full) expect(answer).toMatchObject(failed(413, 'PAYLOAD_TOO_LARGE'))
    expect(await usage()).toEqual({ stored: stored.length * content.length, reserved: 0 })
    for (const { body } of stored) found(await crm.ws.delete(`/files/${body.data.id}`))
    expect(await usage()).toEqual({ stored: 0, reserved: 0 })
    // What an upload has reserved whose Worker died is free again after a while.
    await crm.app.owner.query(
      `insert into storage_reservations (workspace_id, id, bytes, expires_at)
        values ($1, gen_random_uuid(), 3000, now() + interval '1 minute')`,
      [crm.ws.id],
    )
    expect((await upload('again.pdf', content, 'document')).status).toBe(413)
    await crm.app.owner.query("update storage_reservations set expires_at = now() - interval '1 second' where workspace_id = $1", [
      crm.ws.id,
    ])
    expect((await upload('again.pdf', content, 'document')).status).toBe(201)
  })

  test('is shared with an upload that has reserved its bytes and is not committed yet', async () => {
    await allow(3000)
    const reserve: [string, unknown[]][] = [
      ["select set_config('app.workspace_id', $1, true)", [crm.ws.id]],
      ['select reserve_storage(gen_random_uuid(), 2900, 60)', []],
    ]
    const [answer] = await whileLocked(crm, reserve, [() => upload('late.pdf', `%PDF-1.7\n${'x'.repeat(500)}\n%%EOF\n`, 'document')])
    expect(answer).toMatchObject(failed(413, 'PAYLOAD_TOO_LARGE'))
  })

  test('counts attachments too', async () => {
    await allow(10)
    const { id } = await crm.contact()
    const form = '--part\r\ncontent-disposition: form-data; name="file"; filename="a.txt"\r\n\r\nHello there.\r\n--part--\r\n'
    const response = await crm.app.fetch(`/v1/contacts/${id}/attachments`, {
      method: 'POST',
      headers: { authorization: `Bearer ${crm.ws.apiKey}`, 'content-type': 'multipart/form-data; boundary=part' },
      body: form,
    })
    expect(response.status).toBe(413)
    await response.body?.cancel()
  })
})
