import { readXlsx } from 'hucre/xlsx'
import { expect } from 'vitest'
import type { TestWorkspace } from '../workspace.ts'
import { created, found, type Row, type useCrm } from './crm.ts'

/** Texts that a program may take for something else, or write in another way. */
export const MISLEADING = [
  '00123',
  '=1+1',
  '1/2',
  'TRUE',
  '12345678901234567890',
  '+61412345678',
  '1E5',
  "'x",
  '  outer  ',
  'a&b<c>"d"',
  'שלום 😀',
  '_x0041_x0042_',
]

export const TEMPLATES = '/exports/templates'
export const columns = (...paths: string[]) => paths.map((path) => ({ path }))

/** What tests of export templates do: make one, preview it, and read its file. */
export function useTemplates(crm: ReturnType<typeof useCrm>) {
  const template = async (paths: string[], fields: Row = {}) =>
    created(
      await crm.ws.post(TEMPLATES, { name: 'People', root_entity: 'contacts', columns: columns(...paths), sort: 'created_at', ...fields }),
    ) as Row
  const preview = async (id: string, body: Row = {}) => found(await crm.ws.post(`${TEMPLATES}/${id}/preview`, body)) as Row
  async function run(id: string, body: Row = {}, { apiKey }: TestWorkspace = crm.ws) {
    const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' }
    const response = await crm.app.fetch(`/v1${TEMPLATES}/${id}/run`, { method: 'POST', headers, body: JSON.stringify(body) })
    return { status: response.status, headers: response.headers, bytes: new Uint8Array(await response.arrayBuffer()) }
  }
  async function csv(id: string, body: Row = {}) {
    const { status, bytes } = await run(id, { format: 'csv', bom: false, ...body })
    const text = new TextDecoder().decode(bytes)
    expect(status, text).toBe(200)
    return text.trimEnd().split('\r\n')
  }
  async function workbook(id: string, body: Row = {}) {
    const { status, bytes, headers } = await run(id, { format: 'xlsx', ...body })
    expect(status, new TextDecoder().decode(bytes.subarray(0, 500))).toBe(200)
    const { sheets } = await readXlsx(bytes)
    return { sheets, headers, bytes, rows: sheets[0]?.rows ?? [] }
  }
  return { template, preview, run, csv, workbook }
}
