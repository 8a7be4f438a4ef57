import { describe, expect, test } from 'vitest'
import { csvRecord, joined } from '../../src/domain/csv/write.ts'
import { TEXTS } from '../contract/odd.ts'
import { found, type Row, useCrm } from './crm.ts'

const crm = useCrm({ own: true })

/** What a cell has to be, by the rules of src/domain/csv/write.ts. */
function cellOf(value: unknown): string {
  if (value === null || value === undefined) return ''
  if (Array.isArray(value) && value.every((one) => typeof one === 'string' || typeof one?.name === 'string')) {
    const texts = value.map((one) => (typeof one === 'string' ? one : one.name))
    // An import would divide tags at these.
    return value.length === 0
      ? ''
      : typeof value[0] === 'object' && texts.some((one) => /[,|"]/.test(one))
        ? JSON.stringify(texts)
        : joined(texts)
  }
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}
const valueIn = (row: Row, name: string) =>
  name.startsWith('metadata.') ? (row.metadata[name.slice('metadata.'.length)] ?? null) : row[name]

const ODD = [
  ...TEXTS.filter((text) => text.length < 30_000 && text.isWellFormed() && !text.includes('\0')),
  ...['=1', '+61412345678', '-5', '-5.', '-x', "'=1", "''=1", "'x", '@a', '\ta', 'a\t', '\u00a0a', 'a\u3000', '\ufeff', '\u2028', '\u200b'],
  ...['＝1', 'a"b', '""', 'a,b', 'a\nb', '\r', 'a;b', '[1]', '\x7f', '\x01\x1f', '٣', '-٣', '\u0085', '\\', '\\"', '😀', '</script>'],
]
const NUMBERS = [0, -0, 1.5, -1e-7, 1e-6, 123456789.123, 1e21, -1.5e300, 5e-324, 1e20, 0.1 + 0.2, 2 ** 53, 1.7976931348623157e308]
const VALUES = [
  true,
  false,
  null,
  [],
  {},
  ['a', 'b'],
  ['a;b', 'c'],
  [' a'],
  ['\ufeffa'],
  [''],
  ['a', { name: 'b', x: 1 }],
  ['a', 1],
  [null],
  ['a', ['b']],
  [{ name: 1 }],
  { b: 1, a: { 10: 'x', 9: [1e21, '\u2028', null], '01': true, 4294967295: 1 }, '-1': '' },
]

async function fill() {
  const texts = ODD.map((text) => ({
    first_name: 'x',
    notes: text,
    metadata: { free: text, list: [text, 'b'], [`k ${text}`.slice(0, 90)]: text },
  }))
  const others = [...NUMBERS, ...VALUES].map((free) => ({ first_name: 'y', metadata: { free, deep: [[free]] } }))
  // As they are, without the checks of the API: what is stored is written, however it came there.
  await crm.app.owner.query(
    `insert into contacts (workspace_id, first_name, notes, job_title, metadata, alternate_emails, created_at)
      select $1, r.first_name, r.notes, r.notes, r.metadata, array(select jsonb_array_elements_text(r.metadata -> 'list')
        where r.metadata ? 'list'), now() - interval '1 minute' + n * interval '1 ms'
      from rows
      from (jsonb_to_recordset($2) as (first_name text, notes text, metadata jsonb)) with ordinality r(first_name, notes, metadata, n)`,
    [crm.ws.id, JSON.stringify([...texts, ...others])],
  )
}
const all = async (object: string) => crm.walk(`/${object}?sort=created_at&limit=100`)

describe('an export', () => {
  test('has every text, number, list and object exactly as the rules of its format write them', async () => {
    await fill()
    await crm.ws.post('/custom-fields', { object: 'contact', key: 'later', label: 'Later', type: 'text' })
    const rows = await all('contacts')
    expect(rows.length).toBeGreaterThan(60)
    const fields = ['first_name', 'notes', 'job_title', 'alternate_emails', 'metadata', 'metadata.free', 'metadata.deep', 'metadata.none']
    const named = [...fields, 'id', 'is_primary', 'version', 'created_at', 'date_of_birth', 'notes']
    const body = { fields: named, sort: 'created_at', bom: false }
    const csv = (await crm.ws.post('/contacts/export', body)).body
    const expected = rows.map((row) => csvRecord(named.map((name) => cellOf(valueIn(row, name)))))
    expect(csv).toBe(csvRecord(named) + expected.join(''))
    const lines = (await crm.ws.post('/contacts/export', { ...body, format: 'jsonl' })).body
    const objects = rows.map((row) => `${JSON.stringify(Object.fromEntries(named.map((name) => [name, valueIn(row, name)])))}\n`)
    expect(lines).toBe(objects.join(''))
  })

  test('of opportunities and companies too, with their numbers and reasons', async () => {
    await crm.offerReasons(['Price; old', 'Timing'])
    const { stages } = await crm.firstPipeline()
    for (const value of [0, 0.1, 4821.5, 999_999_999_999.99, -0, 1250])
      await crm.opportunity({
        name: `Deal ${value}`,
        value,
        tags: [{ name: 'VIP' }, { name: '=x' }],
        next_action_at: '2026-12-01T09:00:00Z',
      })
    await crm.opportunity({ name: 'Lost', stage_id: stages.Lost, lost_reasons: ['Price; old', 'Timing'], value: 12.34 })
    await crm.ws.post('/companies', { name: 'Acme', annual_revenue: 1250.5, founded_year: 1998 })
    for (const object of ['opportunities', 'companies']) {
      const rows = await all(object)
      const fields = Object.keys(rows[0] as Row)
      const { body } = await crm.ws.post(`/${object}/export`, { fields, sort: 'created_at', bom: false })
      expect(body).toBe(csvRecord(fields) + rows.map((row) => csvRecord(fields.map((name) => cellOf(row[name])))).join(''))
      const lines = (await crm.ws.post(`/${object}/export`, { fields, sort: 'created_at', format: 'jsonl' })).body
      expect(lines).toBe(rows.map((row) => `${JSON.stringify(Object.fromEntries(fields.map((name) => [name, row[name]])))}\n`).join(''))
    }
  })

  test('is bounded by bytes, a page: long notes take more trips, and all of them arrive', async () => {
    await crm.app.owner.query(
      `insert into contacts (workspace_id, first_name, notes) select $1, 'P' || n, repeat(md5(n::text), 600)
        from generate_series(1, 400) n`,
      [crm.ws.id],
    )
    crm.app.proxy.trips = 0
    const text: string = (await crm.ws.get('/contacts/export?fields=first_name,notes&bom=false')).body
    expect(text.length).toBeGreaterThan(7_600_000)
    expect(new Set(text.trimEnd().split('\r\n')).size).toBe(401)
    // 7.7 MB at 1.5 MB a page.
    expect(crm.app.proxy.trips).toBeGreaterThanOrEqual(5)
    expect(found(await crm.ws.get('/contacts?limit=1'))).toHaveLength(1)
  })
})
