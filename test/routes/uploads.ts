import { afterEach } from 'vitest'
import type { Harness } from '../harness.ts'
import type { ApiResponse } from '../workspace.ts'
import { type Crm, created, found } from './crm.ts'

export const PDF = '%PDF-1.7\nA quote'
export type Part = [name: string, value: string | File]

/** Each character is a byte. */
export const bytesOf = (content: string | Uint8Array) => (typeof content === 'string' ? Buffer.from(content, 'latin1') : content)
export const fileOf = (name: string, content: string | Uint8Array, type = '') =>
  new File([bytesOf(content) as Uint8Array<ArrayBuffer>], name, { type })

/** The errors of a connection that the other side has closed. */
const BROKEN = ['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET']

/** Copies the stored files of a Worker to those of another one, as a copy of the bucket has them. */
export async function copyFiles(from: Harness, to: Harness): Promise<void> {
  const [source, target] = await Promise.all([from.files(), to.files()])
  for (const { key } of (await source.list()).objects) await target.put(key, await (await source.get(key))!.arrayBuffer())
}

/** Uploads, downloads and what is stored, in the workspace of `crm`. */
export function useFiles(crm: Crm) {
  afterEach(() => {
    crm.app.proxy.onRequest = undefined
    crm.app.proxy.outage = 'none'
  })

  async function raw(opportunity: string, body: Uint8Array | undefined, headers: Record<string, string>): Promise<ApiResponse> {
    const post = async () => {
      const response = await crm.app.fetch(`/v1/opportunities/${opportunity}/attachments`, { method: 'POST', headers, body })
      return { status: response.status, body: await response.json(), headers: response.headers }
    }
    // A body that is refused early is not read to its end, so the connection may break before the client has read the response.
    return post().catch((error) => {
      if (!BROKEN.includes(error.cause?.code)) throw error
      return post()
    })
  }
  async function send(opportunity: string, parts: Part[], headers: Record<string, string> = {}, ws = crm.ws): Promise<ApiResponse> {
    const form = new FormData()
    for (const [name, value] of parts) form.append(name, value)
    const request = new Request('http://form.test', { method: 'POST', body: form })
    return raw(opportunity, new Uint8Array(await request.arrayBuffer()), {
      'content-type': request.headers.get('content-type') as string,
      authorization: `Bearer ${ws.apiKey}`,
      ...headers,
    })
  }
  const upload = (opportunity: string, name: string, content: string | Uint8Array = PDF, headers = {}, ws = crm.ws) =>
    send(opportunity, [['file', fileOf(name, content)]], headers, ws)

  return {
    /** Any body as an upload. */
    raw,
    /** Any form as an upload. */
    send,
    upload,
    uploaded: async (opportunity: string, name = 'quote.pdf', content: string | Uint8Array = PDF) =>
      created(await upload(opportunity, name, content)),
    linkTo: async (opportunity: string, id: string) =>
      new URL(found(await crm.ws.get(`/opportunities/${opportunity}/attachments/${id}/download`)).url),
    open: ({ pathname, search }: URL) => crm.app.fetch(pathname + search),
    /** The keys of all that is stored for the workspace. */
    objects: async () => (await (await crm.app.files()).list({ prefix: `attachments/${crm.ws.id}/` })).objects.map(({ key }) => key),
    sweep: () => crm.app.cron('17 3 * * *'),
  }
}
