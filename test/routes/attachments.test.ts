import { createHash } from 'node:crypto'
import { afterEach, describe, expect, test } from 'vitest'
import type { NeonQuery } from '../../dev/neon-proxy.ts'
import { keyOfFile } from '../../src/domain/file-names.ts'
import { signPath } from '../../src/lib/signed-paths.ts'
import { FILE_SECRET } from '../harness.ts'
import type { Answer } from '../workspace.ts'
import { created, failed, found, ids, nobody, type Row, refused, useCrm } from './crm.ts'

const crm = useCrm()
afterEach(() => {
  crm.app.proxy.onRequest = undefined
  crm.app.proxy.outage = 'none'
})

const MB = 1024 * 1024
const bytesOf = (content: string | Uint8Array) => (typeof content === 'string' ? Buffer.from(content, 'latin1') : content)
const PDF = '%PDF-1.7\nA quote'

type Part = [name: string, value: string | File]
async function send(opportunity: string, parts: Part[], headers: Record<string, string> = {}, ws = crm.ws): Promise<Answer> {
  const form = new FormData()
  for (const [name, value] of parts) form.append(name, value)
  const request = new Request('http://form.test', { method: 'POST', body: form })
  return raw(opportunity, new Uint8Array(await request.arrayBuffer()), {
    'content-type': request.headers.get('content-type') as string,
    authorization: `Bearer ${ws.apiKey}`,
    ...headers,
  })
}
async function raw(opportunity: string, body: Uint8Array | undefined, headers: Record<string, string>): Promise<Answer> {
  const response = await crm.app.fetch(`/v1/opportunities/${opportunity}/attachments`, { method: 'POST', headers, body })
  return { status: response.status, body: await response.json(), headers: response.headers }
}
const fileOf = (name: string, content: string | Uint8Array, type = '') =>
  new File([bytesOf(content) as Uint8Array<ArrayBuffer>], name, { type })
const upload = (opportunity: string, name: string, content: string | Uint8Array = PDF, headers = {}, ws = crm.ws) =>
  send(opportunity, [['file', fileOf(name, content)]], headers, ws)
const uploaded = async (opportunity: string, name = 'quote.pdf', content: string | Uint8Array = PDF) =>
  created(await upload(opportunity, name, content))

const linkTo = async (opportunity: string, id: string) =>
  new URL(found(await crm.ws.get(`/opportunities/${opportunity}/attachments/${id}/download`)).url)
const open = ({ pathname, search }: URL) => crm.app.fetch(pathname + search)
const objects = async () => (await (await crm.app.files()).list({ prefix: `attachments/${crm.ws.id}/` })).objects.map(({ key }) => key)
const sweep = () => crm.app.cron('17 3 * * *')

/** A zip archive of empty files. */
function zip(...names: string[]): Uint8Array {
  const entries = names.map((name) => {
    const local = Buffer.alloc(30 + name.length)
    local.write('PK\x03\x04', 'latin1')
    local.writeUInt16LE(name.length, 26)
    local.write(name, 30)
    const central = Buffer.alloc(46 + name.length)
    central.write('PK\x01\x02', 'latin1')
    central.writeUInt16LE(name.length, 28)
    central.write(name, 46)
    return { local, central }
  })
  const locals = Buffer.concat(entries.map(({ local }) => local))
  const directory = Buffer.concat(entries.map(({ central }) => central))
  const end = Buffer.alloc(22)
  end.write('PK\x05\x06', 'latin1')
  end.writeUInt16LE(names.length, 10)
  end.writeUInt32LE(directory.length, 12)
  end.writeUInt32LE(locals.length, 16)
  return Buffer.concat([locals, directory, end])
}
const TYPES = '[Content_Types].xml'

describe('an attachment', () => {
  test('is uploaded, listed, read, downloaded and deleted, with its file', async () => {
    const { id } = await crm.opportunity()
    const answer = await upload(id, 'Quote für März.pdf')
    const attachment = created(answer)
    expect(attachment).toMatchObject({
      opportunity_id: id,
      name: 'Quote für März.pdf',
      content_type: 'application/pdf',
      size: PDF.length,
      sha256: createHash('sha256').update(PDF).digest('hex'),
      state: 'stored',
      uploaded_by: crm.ws.userId,
      version: 1,
    })
    const path = `/opportunities/${id}/attachments/${attachment.id}`
    expect(answer.headers.get('location')).toBe(`/v1${path}`)
    expect(found(await crm.ws.get(path))).toEqual(attachment)
    expect(found(await crm.ws.get(`/opportunities/${id}/attachments`))).toEqual([attachment])

    const file = await open(await linkTo(id, attachment.id))
    expect(file.status).toBe(200)
    expect(await file.text()).toBe(PDF)
    expect(Object.fromEntries(file.headers)).toMatchObject({
      'content-type': 'application/pdf',
      'content-length': String(PDF.length),
      'content-disposition': `attachment; filename="Quote f_r M_rz.pdf"; filename*=UTF-8''Quote%20f%C3%BCr%20M%C3%A4rz.pdf`,
      'x-content-type-options': 'nosniff',
      'content-security-policy': "default-src 'none'; sandbox",
      'cache-control': 'private, no-store',
    })

    expect(await objects()).toEqual([keyOfFile(crm.ws.id, attachment.id)])
    expect((await crm.ws.delete(path)).body.data).toEqual({ id: attachment.id, deleted: true })
    await crm.app.drain()
    expect(await objects()).toEqual([])
    expect(await crm.ws.get(path)).toMatchObject(failed(404, 'NOT_FOUND'))
    expect((await crm.events(attachment.id)).map(({ type }) => type)).toEqual(['attachment.created', 'attachment.deleted'])
  })

  test('takes two trips: whether the caller may, then the row', async () => {
    const { id } = await crm.opportunity()
    const trips: string[] = []
    crm.app.proxy.onRequest = (request) => {
      const [{ query, params }] = 'queries' in request ? (request.queries as [NeonQuery]) : [request]
      if (query.includes('begin_request')) trips.push(JSON.parse(String(params?.[0])).request_id)
    }
    const { headers } = await upload(id, 'quote.pdf')
    expect(trips.filter((request) => request === headers.get('x-request-id'))).toHaveLength(2)
  })

  test('lists come newest first, page by page', async () => {
    const { id } = await crm.opportunity()
    const made: Row[] = []
    for (let n = 0; n < 5; n++) made.push(await uploaded(id, `${n}.pdf`))
    expect(ids(await crm.walk(`/opportunities/${id}/attachments?limit=2`))).toEqual(ids(made).toReversed())
  })

  test('goes with its opportunity, and so does its file', async () => {
    const { id } = await crm.opportunity()
    await uploaded(id)
    await uploaded(id)
    expect(await objects()).toHaveLength(2)
    await crm.ws.delete(`/opportunities/${id}`)
    await crm.app.drain()
    expect(await objects()).toEqual([])
  })

  test('deleting one is held for approval, and keeps the file until then', async () => {
    const { id } = await crm.opportunity()
    const attachment = await uploaded(id)
    const { status, body } = await crm.ws.delete(`/opportunities/${id}/attachments/${attachment.id}?require_approval=true`)
    expect(status).toBe(202)
    await crm.app.drain()
    expect((await open(await linkTo(id, attachment.id))).status).toBe(200)
    await crm.ws.post(`/approvals/${body.approval_id}/approve`)
    await crm.app.drain()
    expect(await objects()).toEqual([])
  })
})

describe('who may', () => {
  test.each([
    ['a key that must ask for approval', { level: 'approval' }, 403, 'FORBIDDEN'],
    ['a key that only reads', { level: 'read_only' }, 403, 'FORBIDDEN'],
    ['a viewer', { role: 'client_viewer' }, 403, 'FORBIDDEN'],
    ['a key without the scope', { scopes: ['opportunities:read'] }, 403, 'INSUFFICIENT_SCOPE'],
  ] as const)('%s may not upload, and nothing is kept', async (_, options, status, code) => {
    const { id } = await crm.opportunity()
    const key = await crm.ws.key({ ...options, scopes: [...('scopes' in options ? options.scopes : ['*:*'])] })
    expect(await upload(id, 'quote.pdf', PDF, {}, key)).toMatchObject(failed(status, code))
    expect(await objects()).toEqual([])
  })

  test('without a valid key nothing is read', async () => {
    const { id } = await crm.opportunity()
    for (const authorization of ['', 'Bearer wck_short']) expect((await upload(id, 'quote.pdf', PDF, { authorization })).status).toBe(401)
  })

  test('another workspace’s opportunity and attachments are not there', async () => {
    const [{ id }, stranger] = [await crm.opportunity(), await crm.app.workspace()]
    const attachment = await uploaded(id)
    const theirs = created(await stranger.post('/opportunities', { name: 'Theirs' })).id
    expect(await upload(id, 'quote.pdf', PDF, {}, stranger)).toMatchObject(failed(404, 'NOT_FOUND'))
    for (const opportunity of [id, theirs])
      for (const path of ['', '/download'])
        expect(await stranger.get(`/opportunities/${opportunity}/attachments/${attachment.id}${path}`)).toMatchObject(
          failed(404, 'NOT_FOUND'),
        )
    expect(await stranger.delete(`/opportunities/${theirs}/attachments/${attachment.id}`)).toMatchObject(failed(404, 'NOT_FOUND'))
    expect(await stranger.get(`/opportunities/${id}/attachments`)).toMatchObject(failed(404, 'NOT_FOUND'))
    const other = await crm.opportunity()
    expect(await crm.ws.get(`/opportunities/${other.id}/attachments/${attachment.id}`)).toMatchObject(failed(404, 'NOT_FOUND'))
    expect((await (await crm.app.files()).list({ prefix: `attachments/${stranger.id}/` })).objects).toEqual([])
  })
})

describe('what is taken', () => {
  test.each<[string, string | Uint8Array, string]>([
    ['a.pdf', PDF, 'application/pdf'],
    ['a.png', '\x89PNG\r\n\x1a\n\0\0', 'image/png'],
    ['a.jpeg', '\xff\xd8\xff\xe0\0', 'image/jpeg'],
    ['a.gif', 'GIF89a\0', 'image/gif'],
    ['a.webp', 'RIFF\x10\0\0\0WEBPVP8 ', 'image/webp'],
    ['a.docx', zip(TYPES, 'word/document.xml'), 'application/vnd.openxmlformats-officedocument.wordprocessingml.document'],
    ['a.xlsx', zip(TYPES, 'xl/workbook.xml'), 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'],
    ['a.pptx', zip(TYPES, 'ppt/presentation.xml'), 'application/vnd.openxmlformats-officedocument.presentationml.presentation'],
    ['a.txt', 'Plain text, <b>not</b> markup', 'text/plain'],
    ['README', 'Plain text', 'text/plain'],
    ['a.csv', 'name;city\r\nJos\xe9;K\xf6ln\r\n', 'text/csv'],
    ['a.csv', Buffer.from('\ufeffname,city\nJosé,Köln\n'), 'text/csv'],
    ['a.txt', Buffer.from('\ufeffUnicode text', 'utf16le'), 'text/plain'],
    ['a.json', '{"a": 1}', 'application/json'],
    ['a.eml', 'From: ana@example.com\r\nContent-Type: text/html\r\n\r\n<html>', 'message/rfc822'],
    ['a.mp3', 'ID3\x04\0\0\0\0\0\0', 'audio/mpeg'],
    ['a.mp3', '\xff\xfb\x90\x64\0\0', 'audio/mpeg'],
    ['a.mp4', '\0\0\0\x20ftypisom\0\0', 'video/mp4'],
  ])('%s as it is', async (name, content, content_type) => {
    const attachment = await uploaded((await crm.opportunity()).id, name, content)
    expect(attachment).toMatchObject({ content_type, size: bytesOf(content).length })
    expect(attachment.name).toBe(name === 'README' ? 'README.txt' : name)
    const file = await open(await linkTo(attachment.opportunity_id, attachment.id))
    expect(Buffer.from(await file.arrayBuffer()).equals(Buffer.from(bytesOf(content)))).toBe(true)
    expect(file.headers.get('content-type')).toBe(content_type)
  })

  test.each<[string, string, string | Uint8Array]>([
    ['a Windows program', 'a.pdf', 'MZ\x90\0\x03\0'],
    ['a Linux program', 'a.txt', '\x7fELF\x02\x01'],
    ['a shell script', 'a.txt', '#!/bin/sh\nrm -rf /'],
    ['a batch file', 'a.bat', '@echo off'],
    ['JavaScript', 'a.js', 'alert(1)'],
    ['HTML', 'a.html', '<p>Hello'],
    ['HTML called text', 'a.txt', ' \n<!DOCTYPE html><script>alert(1)</script>'],
    ['HTML called an image', 'a.png', '<html><script>alert(1)</script>'],
    ['an SVG image', 'a.svg', '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'],
    ['an SVG image called text', 'a.csv', '\xef\xbb\xbf<?xml version="1.0"?><svg onload="alert(1)"/>'],
    ['a zip archive', 'a.zip', zip('a.txt')],
    ['a zip archive called a document', 'a.docx', zip('word/document.xml')],
    ['a document with macros', 'a.docx', zip(TYPES, 'word/document.xml', 'word/vbaProject.bin')],
    ['a damaged document', 'a.docx', zip(TYPES, 'word/document.xml').subarray(0, 60)],
    ['a QuickTime film', 'a.mp4', '\0\0\0\x14ftypqt  \0\0'],
    ['binary called text', 'a.txt', 'text\0text'],
    ['text called binary', 'a.pdf', 'no PDF at all'],
  ])('not %s', async (_, name, content) => {
    const { id } = await crm.opportunity()
    expect(await upload(id, name, content)).toMatchObject({
      status: 415,
      body: { error: { code: 'UNSUPPORTED_MEDIA_TYPE', details: { allowed: expect.arrayContaining(['pdf', 'csv']) } } },
    })
    expect(await objects()).toEqual([])
    expect(await crm.count('attachments')).toBe(0)
  })

  test.each([
    ['../../etc/passwd.pdf', 'passwd.pdf'],
    ['C:/temp/quote.pdf', 'quote.pdf'],
    ['invoice.exe', 'invoice.exe.pdf'],
    ['photo.PDF', 'photo.pdf'],
    [' .hidden. .pdf ', 'hidden.pdf'],
    ['a\u202efdp.exe', 'afdp.exe.pdf'],
    ['q:u*o?t|e<>.pdf', 'q_u_o_t_e__.pdf'],
    ['CON.pdf', '_CON.pdf'],
    ['\u200b', 'file.pdf'],
    ['..', 'file.pdf'],
    [`${'x'.repeat(300)}.pdf`, `${'x'.repeat(150)}.pdf`],
    ['😀.pdf', '😀.pdf'],
  ])('a name such as %j becomes %j', async (given, name) => {
    const { id } = await crm.opportunity()
    const attachment = await uploaded(id, given)
    expect(attachment.name).toBe(name)
    const file = await open(await linkTo(id, attachment.id))
    expect(file.headers.get('content-disposition')).toContain(`filename*=UTF-8''${encodeURIComponent(name)}`)
  })
})

describe('the form', () => {
  test('up to 25 MB is taken, more is not', async () => {
    const { id } = await crm.opportunity()
    const whole = Buffer.alloc(25 * MB + 1, 'x')
    whole.write(PDF)
    expect(await upload(id, 'a.pdf', whole.subarray(0, 25 * MB))).toMatchObject({ status: 201, body: { data: { size: 25 * MB } } })
    expect(await upload(id, 'a.pdf', whole)).toMatchObject(failed(413, 'PAYLOAD_TOO_LARGE'))
    expect(await upload(id, 'a.pdf', Buffer.concat([whole, whole]))).toMatchObject(failed(413, 'PAYLOAD_TOO_LARGE'))
    expect(await crm.count('attachments')).toBe(1)
  })

  test('without a declared length too', async () => {
    const { id } = await crm.opportunity()
    const piece = new Uint8Array(MB)
    let left = 40
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        if (left === 40)
          controller.enqueue(Buffer.from('--b\r\nContent-Disposition: form-data; name="file"; filename="a.pdf"\r\n\r\n%PDF-'))
        left -= 1
        if (left < 0) controller.close()
        else controller.enqueue(piece)
      },
    })
    const headers = { 'content-type': 'multipart/form-data; boundary=b', authorization: `Bearer ${crm.ws.apiKey}` }
    const response = await crm.app.fetch(`/v1/opportunities/${id}/attachments`, {
      method: 'POST',
      headers,
      body: body as never,
      duplex: 'half',
    })
    expect(response.status).toBe(413)
  })

  test.each<[string, Part[], string[]]>([
    ['no file', [], ['file']],
    ['text in its place', [['file', 'text']], ['file']],
    ['an empty file', [['file', fileOf('a.txt', '')]], ['file']],
    [
      'two files',
      [
        ['file', fileOf('a.pdf', PDF)],
        ['file', fileOf('b.pdf', PDF)],
      ],
      ['file'],
    ],
    [
      'another field',
      [
        ['file', fileOf('a.pdf', PDF)],
        ['note', 'x'],
      ],
      ['note'],
    ],
    [
      'control fields',
      [
        ['file', fileOf('a.pdf', PDF)],
        ['require_approval', 'true'],
      ],
      ['require_approval'],
    ],
  ])('with %s is refused', async (_, parts, paths) => {
    const { id } = await crm.opportunity()
    expect(await send(id, parts)).toMatchObject(refused(...paths))
  })

  test('that is none is refused', async () => {
    const { id } = await crm.opportunity()
    const authorization = `Bearer ${crm.ws.apiKey}`
    expect(await raw(id, undefined, { authorization })).toMatchObject(refused('file'))
    expect(await raw(id, Buffer.from('{}'), { authorization, 'content-type': 'application/json' })).toMatchObject(
      failed(415, 'UNSUPPORTED_MEDIA_TYPE'),
    )
    expect(await raw(id, Buffer.from('junk'), { authorization, 'content-type': 'multipart/form-data; boundary=b' })).toMatchObject(
      refused('file'),
    )
    expect(await raw(nobody, Buffer.from('junk'), { authorization, 'content-type': 'multipart/form-data; boundary=b' })).toMatchObject(
      failed(404, 'NOT_FOUND'),
    )
  })

  test('the declared type counts for nothing', async () => {
    const { id } = await crm.opportunity()
    expect(created(await send(id, [['file', fileOf('a.pdf', PDF, 'text/html')]])).content_type).toBe('application/pdf')
  })
})

describe('the address of a file', () => {
  test('is good for 60 seconds, for its own file, as it was signed', async () => {
    const { id } = await crm.opportunity()
    const [attachment, other] = [await uploaded(id), await uploaded(id)]
    const { url, expires_at } = found(await crm.ws.get(`/opportunities/${id}/attachments/${attachment.id}/download`))
    const seconds = (Date.parse(expires_at) - Date.now()) / 1000
    expect(seconds).toBeGreaterThan(50)
    expect(seconds).toBeLessThanOrEqual(60)
    const good = new URL(url)
    expect((await open(good)).status).toBe(200)
    const now = Math.floor(Date.now() / 1000)
    const changed = (change: (url: URL) => void) => {
      const copy = new URL(good)
      change(copy)
      return copy
    }
    const bad: Record<string, URL> = {
      'past its time': new URL(signPath(FILE_SECRET, good.pathname, now), good),
      'long past its time': new URL(signPath(FILE_SECRET, good.pathname, now - 3600), good),
      'with a later time': changed(({ searchParams }) => searchParams.set('expires', String(now + 3600))),
      'of another file': changed((copy) => Object.assign(copy, { pathname: good.pathname.replace(attachment.id, other.id) })),
      'with another name': changed((copy) => Object.assign(copy, { pathname: good.pathname.replace('quote.pdf', 'quote.html') })),
      'with another signature': changed(({ searchParams }) => searchParams.set('signature', 'A'.repeat(43))),
      'signed with another secret': new URL(signPath('x'.repeat(32), good.pathname, now + 60), good),
      'without a signature': changed(({ searchParams }) => searchParams.delete('signature')),
      'without anything': changed((copy) => Object.assign(copy, { search: '' })),
      'of a folder': new URL('/files/', good),
    }
    for (const [what, address] of Object.entries(bad)) {
      const answer = await open(address)
      expect([answer.status, ((await answer.json()) as Row).error.code], what).toEqual([403, 'FORBIDDEN'])
    }
  })

  test('of a removed file leads nowhere', async () => {
    const { id } = await crm.opportunity()
    const attachment = await uploaded(id)
    const address = await linkTo(id, attachment.id)
    await crm.ws.delete(`/opportunities/${id}/attachments/${attachment.id}`)
    await crm.app.drain()
    expect((await open(address)).status).toBe(404)
    expect(await crm.ws.get(`/opportunities/${id}/attachments/${attachment.id}/download`)).toMatchObject(failed(404, 'NOT_FOUND'))
  })
})

describe('when something breaks', () => {
  /** What happens to the second round trip of the next upload, the one with the row. */
  const onSecondTrip = (happens: () => void) => {
    let trips = 0
    crm.app.proxy.onRequest = () => {
      trips += 1
      if (trips === 2) happens()
    }
  }
  const mend = () => {
    crm.app.proxy.onRequest = undefined
    crm.app.proxy.outage = 'none'
  }
  /** The same object under an id that was made two hours ago. */
  async function age(key: string): Promise<string> {
    const bucket = await crm.app.files()
    const time = (Date.now() - 7_200_000).toString(16).padStart(12, '0')
    const old = `${key.slice(0, -36)}${time.slice(0, 8)}-${time.slice(8)}-${key.slice(-22)}`
    await bucket.put(old, await (await bucket.get(key))!.arrayBuffer())
    await bucket.delete(key)
    return old
  }

  test('a crash between the file and its row leaves a file that nobody sees, and the sweep removes it', async () => {
    const { id } = await crm.opportunity()
    const kept = await uploaded(id)
    await crm.app.drain()
    onSecondTrip(() => {
      throw new Error('The connection broke')
    })
    expect(await upload(id, 'lost.pdf')).toMatchObject(failed(503, 'UNAVAILABLE'))
    mend()
    expect(ids(found(await crm.ws.get(`/opportunities/${id}/attachments`)))).toEqual([kept.id])
    const orphan = (await objects()).find((key) => !key.endsWith(kept.id)) as string

    await sweep()
    expect(await objects(), 'an upload may be under way').toContain(orphan)
    await age(orphan)
    await sweep()
    expect(await objects()).toEqual([keyOfFile(crm.ws.id, kept.id)])
    expect(found(await crm.ws.get(`/opportunities/${id}/attachments`))).toMatchObject([{ id: kept.id, state: 'stored' }])
  })

  test('an answer that was lost is given again to the same Idempotency-Key, and to no other file', async () => {
    const { id } = await crm.opportunity()
    await crm.app.drain()
    const headers = { 'idempotency-key': 'one' }
    onSecondTrip(() => {
      crm.app.proxy.outage = 'lose_answer'
    })
    expect(await upload(id, 'quote.pdf', PDF, headers)).toMatchObject(failed(503, 'UNAVAILABLE'))
    mend()
    const again = await upload(id, 'quote.pdf', PDF, headers)
    expect([again.status, again.headers.get('idempotency-replayed')]).toEqual([201, 'true'])
    expect(ids(found(await crm.ws.get(`/opportunities/${id}/attachments`)))).toEqual([again.body.data.id])
    expect(await upload(id, 'quote.pdf', `${PDF}!`, headers)).toMatchObject(failed(422, 'IDEMPOTENCY_KEY_REUSED'))
    expect(await upload(id, 'other.pdf', PDF, headers)).toMatchObject(failed(422, 'IDEMPOTENCY_KEY_REUSED'))
  })

  test('the same upload twice at once with one Idempotency-Key makes one attachment', async () => {
    const { id } = await crm.opportunity()
    const answers = await Promise.all(Array.from({ length: 5 }, () => upload(id, 'quote.pdf', PDF, { 'idempotency-key': 'twin' })))
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 201, 201, 201])
    expect(new Set(answers.map(({ body }) => body.data.id)).size).toBe(1)
    expect(await crm.count('attachments')).toBe(1)
  })

  test('an opportunity deleted while a file comes in gets no attachment', async () => {
    const { id } = await crm.opportunity()
    await crm.app.drain()
    onSecondTrip(() => {
      throw new Error('The connection broke')
    })
    await upload(id, 'lost.pdf')
    mend()
    let trips = 0
    crm.app.proxy.onRequest = async () => {
      trips += 1
      if (trips === 2) await crm.app.owner.query('delete from opportunities where id = $1', [id])
    }
    expect(await upload(id, 'late.pdf')).toMatchObject(failed(404, 'NOT_FOUND'))
  })

  test('a file that is lost in storage is found to be missing, and found again when it is back', async () => {
    const { id } = await crm.opportunity()
    const attachment = await uploaded(id)
    const bucket = await crm.app.files()
    const key = keyOfFile(crm.ws.id, attachment.id)
    await bucket.delete(key)
    await sweep()
    const path = `/opportunities/${id}/attachments/${attachment.id}`
    expect(found(await crm.ws.get(path))).toMatchObject({ state: 'missing', version: 2 })
    expect(await crm.ws.get(`${path}/download`)).toMatchObject({
      status: 409,
      body: { error: { code: 'INVALID_STATE', details: { state: 'missing', allowed: ['stored'] } } },
    })
    await bucket.put(key, PDF)
    await sweep()
    expect(found(await crm.ws.get(path))).toMatchObject({ state: 'stored', version: 3 })
  })

  test('a removal whose message was lost is made up for by the sweep of events', async () => {
    const { id } = await crm.opportunity()
    const attachment = await uploaded(id)
    await crm.app.drain()
    await crm.app.owner.query('delete from attachments where id = $1', [attachment.id])
    expect(await objects()).toHaveLength(1)
    await crm.app.cron('* * * * *')
    expect(await objects()).toEqual([])
  })
})
