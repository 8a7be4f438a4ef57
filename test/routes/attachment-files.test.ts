import { describe, expect, test } from 'vitest'
import { limit } from '../speed.ts'
import { created, failed, nobody, refused, useCrm } from './crm.ts'
import { bytesOf, fileOf, type Part, PDF, useFiles } from './uploads.ts'

const crm = useCrm()
const { raw, send, upload, uploaded, linkTo, open, objects } = useFiles(crm)

const MB = 1024 * 1024

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
    ['the mark of an archive alone', 'a.docx', 'PK\x03\x04'],
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
  test('up to 25 MB is taken, more is not', { timeout: limit(90_000) }, async () => {
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
      'fields that every object has',
      [
        ['constructor', 'x'],
        ['file', fileOf('a.pdf', PDF)],
        ['toString', 'x'],
        ['__proto__', 'x'],
      ],
      ['constructor', 'toString', '__proto__'],
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
