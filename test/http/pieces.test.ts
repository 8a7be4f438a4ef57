import { expect, test } from 'vitest'
import { readJson } from '../../src/features/accounts/provider/bounded.ts'
import { bytesOf as mediaOf } from '../../src/features/message-media/provider/bounded.ts'
import { partsOf } from '../../src/http/multipart.ts'
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
