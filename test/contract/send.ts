import { uploadOf } from '../../src/http/endpoint.ts'
import type { Harness } from '../harness.ts'
import type { Client } from '../http-client.ts'
import type { ApiResponse } from '../workspace.ts'
import { bodyOf, type Ids, idsFor, type Operation, pathOf, queryOf } from './samples.ts'

/** The differences from a sample call. */
export type Change = { path?: string; query?: Record<string, string>; body?: unknown; headers?: Record<string, string> }
type Caller = { apiKey: string }

const JSON_TYPE = { 'content-type': 'application/json' }
const FORM_TYPE = { 'content-type': 'multipart/form-data; boundary=part' }
/** A text file, sent in a form. */
export const FORM =
  '--part\r\ncontent-disposition: form-data; name="file"; filename="notes.txt"\r\ncontent-type: text/plain\r\n\r\nCall ' +
  'before noon.\r\n--part--\r\n'

/** A CSV file, sent in a form. */
const CSV_FORM = FORM.replace('notes.txt', 'contacts.csv')
  .replace('text/plain', 'text/csv')
  .replace('Call before noon.', 'First name,Email\r\nAna,ana@example.com')

/** An image of a visitor, whose network has sent none before. */
const IMAGE_FORM = `--part\r\ncontent-disposition: form-data; name="context"\r\n\r\nform-avatar\r\n${FORM.replace('notes.txt', 'logo.svg')
  .replace('text/plain', 'image/svg+xml')
  .replace('Call before noon.', '<svg xmlns="http://www.w3.org/2000/svg"><rect width="1" height="1"/></svg>')}`
let networks = 0
const newNetwork = () => ({ 'cf-connecting-ip': `10.${networks >> 16}.${(networks >> 8) & 255}.${networks++ & 255}` })

/** The body for an endpoint, and its content type. */
export function contentOf({ endpoint }: Operation, body: unknown): { body: string | undefined; headers: Record<string, string> } {
  if (endpoint.access.public && uploadOf(endpoint)) return { body: IMAGE_FORM, headers: { ...FORM_TYPE, ...newNetwork() } }
  if (uploadOf(endpoint)) return { body: uploadOf(endpoint)?.types ? CSV_FORM : FORM, headers: FORM_TYPE }
  return body === undefined ? { body: undefined, headers: {} } : { body: JSON.stringify(body), headers: JSON_TYPE }
}

/** Calls that need If-Match, which any version meets. */
const MATCHING: Record<string, Record<string, string>> = { 'PUT /notepads/:notepad_id/content': { 'if-match': '*' } }

/** Calls an endpoint with its sample and the changes. */
export async function sendSample(
  app: Harness,
  { apiKey }: Caller,
  operation: Operation,
  ids: Ids,
  change: Change = {},
): Promise<ApiResponse> {
  const { endpoint } = operation
  const own = idsFor(operation, ids)
  const query = new URLSearchParams({ ...queryOf(operation, own), ...change.query }).toString()
  const content = contentOf(operation, 'body' in change ? change.body : bodyOf(operation, own))
  return send(app, `${change.path ?? pathOf(endpoint, own)}${query && `?${query}`}`, {
    method: endpoint.method,
    headers: { authorization: `Bearer ${apiKey}`, ...content.headers, ...MATCHING[operation.name], ...change.headers },
    ...(content.body !== undefined && { body: content.body }),
  })
}

/** The prefix of a path: only the upload of visitors is outside /v1. */
export const baseOf = (path: string): string => (/^\/public-image-upload\b/.test(path) ? '' : '/v1')

/** Sends a request, below /v1 unless its path is outside, and reads the response. */
export async function send(app: Harness, path: string, init: Parameters<Client>[1]): Promise<ApiResponse> {
  const { status, headers, text } = await app.client(baseOf(path) + path, init)
  return { status, body: headers.get('content-type') === 'application/json' ? JSON.parse(text) : text, headers }
}
