import sharp from 'sharp'
import type { ApiResponse, TestWorkspace } from '../../workspace.ts'
import type { Crm, Row } from '../crm.ts'
import { created } from '../crm.ts'
import { fileOf } from '../uploads.ts'

/** A PDF that has its end. */
export const WHOLE_PDF = '%PDF-1.7\n1 0 obj\n<< /Type /Catalog >>\nendobj\ntrailer\n<< /Root 1 0 R >>\n%%EOF\n'

type Parts = [name: string, value: string | File][]

/** Sends forms to the files of `crm`. */
export function useForms(crm: Crm) {
  async function post(path: string, parts: Parts, headers: Record<string, string>): Promise<ApiResponse> {
    const form = new FormData()
    for (const [name, value] of parts) form.append(name, value)
    const request = new Request('http://form.test', { method: 'POST', body: form })
    const response = await crm.app.fetch(path, {
      method: 'POST',
      headers: { 'content-type': request.headers.get('content-type') as string, ...headers },
      body: new Uint8Array(await request.arrayBuffer()),
    })
    return { status: response.status, headers: response.headers, body: await response.json() } as ApiResponse
  }
  const upload = (name: string, content: string | Uint8Array, type?: string, ws: TestWorkspace = crm.ws, headers = {}) =>
    post('/v1/files', [...(type === undefined ? [] : [['type', type] as [string, string]]), ['file', fileOf(name, content)]], {
      authorization: `Bearer ${ws.apiKey}`,
      ...headers,
    })
  return {
    post,
    upload,
    uploaded: async (name = 'offer.pdf', content: string | Uint8Array = WHOLE_PDF, type = 'document'): Promise<Row> =>
      created(await upload(name, content, type)),
    objects: async () => (await (await crm.app.files()).list({ prefix: `files/${crm.ws.id}/` })).objects.map(({ key }) => key),
    usage: async () =>
      (
        await crm.app.owner.query(
          `select u.stored_bytes::int as stored, (select coalesce(sum(bytes), 0)::int from storage_reservations r
            where r.workspace_id = u.workspace_id) as reserved
            from storage_usage u where u.workspace_id = $1`,
          [crm.ws.id],
        )
      ).rows[0],
  }
}

/** A picture of one colour. */
export const pngOf = (width: number, height: number) =>
  sharp({ create: { width, height, channels: 3, background: '#1a73e8' } })
    .png()
    .toBuffer()
    .then((bytes) => new Uint8Array(bytes))

/** A photo that says where it was taken. */
export const photoOf = (width: number, height: number) =>
  sharp({ create: { width, height, channels: 3, background: '#1a73e8' } })
    .withExif({ IFD0: { Artist: 'Ana Lee' }, IFD3: { GPSLatitudeRef: 'S', GPSLatitude: '33/1 52/1 0/1' } })
    .jpeg()
    .toBuffer()
    .then((bytes) => new Uint8Array(bytes))

/** The head of a PNG that declares this many pixels, in few bytes. */
export function declaredPng(width: number, height: number): Uint8Array {
  const bytes = Buffer.alloc(45)
  bytes.write('\x89PNG\r\n\x1a\n', 'latin1')
  bytes.writeUInt32BE(13, 8)
  bytes.write('IHDR', 12)
  bytes.writeUInt32BE(width, 16)
  bytes.writeUInt32BE(height, 20)
  bytes.set([8, 2, 0, 0, 0], 24)
  bytes.write('IEND', 37)
  return new Uint8Array(bytes)
}

/** An Office document of one entry that says it unpacks to `size` bytes. */
export function archive(names: string[], size: number): Uint8Array {
  const entries = names.map((name) => {
    const entry = Buffer.alloc(46 + name.length)
    entry.writeUInt32LE(0x02014b50, 0)
    entry.writeUInt32LE(10, 20)
    entry.writeUInt32LE(size, 24)
    entry.writeUInt16LE(name.length, 28)
    entry.write(name, 46)
    return entry
  })
  const directory = Buffer.concat(entries)
  const first = Buffer.from('PK\x03\x04'.padEnd(64, '\0'), 'latin1')
  const end = Buffer.alloc(22)
  end.writeUInt32LE(0x06054b50, 0)
  end.writeUInt16LE(names.length, 8)
  end.writeUInt16LE(names.length, 10)
  end.writeUInt32LE(directory.length, 12)
  end.writeUInt32LE(first.length, 16)
  return new Uint8Array(Buffer.concat([first, directory, end]))
}
