import type { ApiResponse, TestWorkspace } from '../workspace.ts'
import { type Crm, created, found, type Row } from './crm.ts'
import { fileOf } from './uploads.ts'

/** Uploads, settings and runs of imports, in the workspace of `crm`. */
export function useImports(crm: Crm) {
  /** The file by itself, as text/csv. */
  async function upload(content: string | Uint8Array, query = '', ws: TestWorkspace = crm.ws, headers = {}): Promise<ApiResponse> {
    const body = typeof content === 'string' ? new TextEncoder().encode(content) : content
    const response = await crm.app.fetch(`/v1/imports${query}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${ws.apiKey}`, 'content-type': 'text/csv', ...headers },
      body: body as never,
    })
    return { status: response.status, body: await response.json(), headers: response.headers }
  }
  /** The file in a form. */
  async function uploadForm(content: string, name = 'contacts.csv'): Promise<ApiResponse> {
    const form = new FormData()
    form.append('file', fileOf(name, new TextEncoder().encode(content)))
    const request = new Request('http://form.test', { method: 'POST', body: form })
    const headers = { 'content-type': request.headers.get('content-type') as string, authorization: `Bearer ${crm.ws.apiKey}` }
    const response = await crm.app.fetch('/v1/imports', { method: 'POST', headers, body: new Uint8Array(await request.arrayBuffer()) })
    return { status: response.status, body: await response.json(), headers: response.headers }
  }
  const act = async (id: string, action: 'check' | 'start' | 'undo', ws = crm.ws): Promise<Row> => {
    found(await ws.post(`/imports/${id}/${action}`))
    // A long one takes longer than the harness waits at once.
    for (let waits = 0; waits < 5; waits++) {
      const late = await crm.app.drain().catch((error: unknown) => error)
      if (late === undefined) break
    }
    return found(await crm.ws.get(`/imports/${id}`))
  }
  return {
    upload,
    uploadForm,
    act,
    uploaded: async (content: string | Uint8Array, settings: Row = {}): Promise<Row> => {
      const made = created(await upload(content))
      return Object.keys(settings).length === 0 ? made : found(await crm.ws.patch(`/imports/${made.id}`, settings))
    },
    /** Uploaded and run to its end. */
    async imported(content: string | Uint8Array, settings: Row = {}): Promise<Row> {
      const made = created(await upload(content))
      if (Object.keys(settings).length > 0) found(await crm.ws.patch(`/imports/${made.id}`, settings))
      return act(made.id, 'start')
    },
    rows: (id: string, query = '') => crm.walk(`/imports/${id}/rows?limit=100${query}`),
  }
}
