import { expect, test, vi } from 'vitest'
import type { Env } from '../../src/env.ts'
import { readJson } from '../../src/features/accounts/provider/bounded.ts'
import { servePublicImage } from '../../src/features/files/callbacks/images.ts'
import { bytesOf as mediaOf } from '../../src/features/message-media/provider/bounded.ts'
import { filePath, serveFile } from '../../src/http/files.ts'
import { boundaryIn, partsOf } from '../../src/http/multipart.ts'
import { bodyOf } from '../../src/http/receive.ts'

/** A stream of the text in pieces of so many bytes. */
function inPieces(text: string, size: number): ReadableStream<Uint8Array> {
  const bytes = new TextEncoder().encode(text)
  return new ReadableStream({
    start(controller) {
      for (let at = 0; at < bytes.length; at += size) controller.enqueue(bytes.subarray(at, at + size))
      controller.close()
    },
  })
}
const response = (text: string, size: number) => new Response(inPieces(text, size))
const request = (text: string, size: number, headers = {}) =>
  new Request('http://api.test', { method: 'POST', body: inPieces(text, size), headers, duplex: 'half' } as RequestInit)

const READERS: Record<string, (text: string, size: number) => Promise<unknown>> = {
  'a body': (text, size) => bodyOf(request(text, size), 10),
  'a body whose length is declared': (text, size) => bodyOf(request(text, size, { 'content-length': `${text.length}` }), 10),
  'the JSON of a provider': (text, size) => readJson(response(text, size), 10),
  'the file of a message': (text, size) => mediaOf(response(text, size), 10),
}

test.each(Object.entries(READERS))('%s is read up to its bound, and refused beyond it, in whatever pieces it arrives', async (_, read) => {
  for (const size of [1, 3, 10, 11]) {
    await expect(read('1234567890', size)).resolves.toBeDefined()
    await expect(read('12345678901', size)).rejects.toThrow(/larger|more than/)
  }
})

const FORM = [
  'ignored',
  '--b \t',
  'Content-Disposition: form-data; name="a%22b"',
  '',
  'text\r\n--\r\n-- b',
  '--b',
  'content-disposition: form-data; name=file; filename="ü.csv"',
  'Content-Type: text/csv',
  '',
  'Name\r\n\rAna\r\n\r\n--c\r',
  '--b',
  'Content-Disposition: form-data; name="none"',
  '',
  '',
  '--b--',
  'ignored',
].join('\r\n')

async function partsIn(stream: ReadableStream<Uint8Array>) {
  const parts: [string, string | undefined, string][] = []
  for await (const { name, file_name, body } of partsOf(stream, 'b'))
    parts.push([name, file_name, Buffer.concat(await Array.fromAsync(body)).toString()])
  return parts
}

test('a form is read as it was sent, in whatever pieces it arrives', async () => {
  for (let size = 1; size <= FORM.length; size++)
    expect(await partsIn(inPieces(FORM, size)), `${size}`).toEqual([
      ['a"b', undefined, 'text\r\n--\r\n-- b'],
      ['file', 'ü.csv', 'Name\r\n\rAna\r\n\r\n--c\r'],
      ['none', undefined, ''],
    ])
})

test('a form has at most twenty fields, and a field headers of 16 kB; nothing of it is missing', async () => {
  const field = (name: string) => `--b\r\nContent-Disposition: form-data; name="${name}"\r\n\r\nvalue\r\n`
  const form = (count: number, name = 'f') => `${field(name).repeat(count)}--b--`
  const read = (text: string) => partsIn(inPieces(text, 1_000))
  expect(await read(form(20))).toHaveLength(20)
  await expect(read(form(21))).rejects.toThrow(/more than 20 fields/)
  // With the line breaks around them they are 16,384 bytes.
  const longest = 16_384 - 3 - 'Content-Disposition: form-data; name=""'.length
  expect(await read(form(1, 'n'.repeat(longest)))).toHaveLength(1)
  await expect(read(form(1, 'n'.repeat(longest + 1)))).rejects.toThrow(/valid multipart/)
  for (const end of [1, 3, 8]) await expect(read(form(1).slice(0, -end))).rejects.toThrow(/valid multipart/)
})

test.each<[string, string | undefined]>([
  ['multipart/form-data; boundary=abc', 'abc'],
  ['multipart/form-data; charset=utf-8; BOUNDARY="a b;c"', 'a b;c'],
  ['multipart/form-data;boundary=abc; charset=utf-8', 'abc'],
  [`multipart/form-data; boundary=${'b'.repeat(200)}`, 'b'.repeat(200)],
  ['multipart/form-data; boundary=""', undefined],
  ['multipart/form-data; boundary=', undefined],
  ['multipart/form-data; xboundary=abc', undefined],
  ['multipart/form-data', undefined],
])('the boundary of %j is %j', (type, boundary) => {
  if (boundary === undefined) expect(() => boundaryIn(type)).toThrow(/valid multipart/)
  else expect(boundaryIn(type)).toBe(boundary)
})

test('a field without a name, and bytes behind a boundary that neither end nor begin a part, make a form invalid', async () => {
  const part = (header: string) => inPieces(`--b\r\n${header}\r\n\r\nx\r\n--b--`, 100)
  for (const header of ['Content-Type: text/csv', 'Content-Disposition: form-data', 'Content-Disposition: attachment; name="a"'])
    await expect(partsIn(part(header)), header).rejects.toThrow(/valid multipart/)
  for (const end of ['--b-', '--bx', '--b \n', '--b'])
    await expect(partsIn(inPieces(`--b\r\nContent-Disposition: form-data; name="a"\r\n\r\nx\r\n${end}\r\n`, 100)), end).rejects.toThrow(
      /valid multipart/,
    )
})

test('while the file store does not answer, whoever opens the address of a file may try again', async () => {
  const get = async () => {
    throw new Error('R2 is down')
  }
  const env = { FILE_SECRET: 'a secret of files that is long enough', FILES: { get } } as unknown as Env
  const now = new Date()
  const file = new Request(`http://api.test${filePath(env, 'files/a/b', 'a.pdf', Math.floor(now.getTime() / 1000) + 60)}`)
  const image = new Request(`http://api.test/public-images/${'a'.repeat(64)}.webp`)
  const logged = vi.spyOn(console, 'error').mockImplementation(() => {})
  const unavailable = { code: 'UNAVAILABLE', retryAfter: 2 }
  await expect(serveFile(env, file, now)).rejects.toMatchObject(unavailable)
  await expect(servePublicImage(env, image)).rejects.toMatchObject(unavailable)
  logged.mockRestore()
})
