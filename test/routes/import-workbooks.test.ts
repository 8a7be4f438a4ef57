import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import type { ApiResponse } from '../workspace.ts'
import { created, found, type Row, refused, useCrm } from './crm.ts'
import { useImports } from './importing.ts'
import { parts, textSheet, workbook, zip } from './workbooks.ts'

const crm = useCrm()
const { upload, act, rows } = useImports(crm)
const XLSX = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'
const send = (content: Uint8Array, query = ''): Promise<ApiResponse> => upload(content, query, crm.ws, { 'content-type': XLSX })

const STYLES = `<numFmts><numFmt numFmtId="164" formatCode="d.m.yyyy h:mm"/><numFmt numFmtId="165" formatCode="0000"/>\
<numFmt numFmtId="166" formatCode="0.00E+00;[Red]&quot;day&quot;0"/></numFmts>
  <cellStyleXfs><xf numFmtId="14"/></cellStyleXfs><cellXfs><xf numFmtId="0"/><xf numFmtId="14"/><xf numFmtId="164"/><xf numFmtId="165"/>\
<xf numFmtId="166"/></cellXfs>
  <dxfs><dxf><numFmt numFmtId="165" formatCode="d/m/yyyy"/></dxf></dxfs>`
const STRINGS = [
  '<t>First Name</t>',
  '<t>Email</t>',
  '<r><rPr><b/></rPr><t xml:space="preserve">Zoë </t></r><r><t>Ann</t></r><rPh sb="0" eb="1"><t>zo</t></rPh>',
  '<t>two_x000D_\nlines &amp; more</t>',
]
const HEADER = `<row r="3"><c r="A3" t="s"><v>0</v></c><c r="B3" t="s"><v>1</v></c>${[
  'Company',
  'DOB',
  'Customer since',
  'Postcode',
  'Notes',
  'Primary',
  'Job title',
]
  .map((name, n) => `<c r="${'CDEFGHI'[n]}3" t="inlineStr"><is><t>${name}</t></is></c>`)
  .join('')}</row>`

test('a workbook becomes records: text of every kind, dates, numbers, formulas, booleans, merged cells', async () => {
  const xml = `<dimension ref="A1:H9"/><sheetData><row r="1"/>${HEADER}
    <x:row r="5"><x:c r="A5" t="s"><x:v>2</x:v></x:c><c r="B5" t="str"><f>LOWER("Z@EXAMPLE.COM")</f><v>z@example.com</v></c>\
<c r="C5" t="inlineStr"><is><r><t>Ac</t></r><r><t>me</t></r></is></c>
      <c r="D5" s="1"><v>29280</v></c><c r="E5" s="2"><v>45474.395833333336</v></c><c r="F5" s="3"><v>800</v></c><c r="G5" t="s">\
<v>3</v></c><c r="H5" t="b"><v>1</v></c></x:row>
    <row r="6"><c r="A6" t="inlineStr"><is><t>Bo</t></is></c><c r="C6"/><c r="D6" s="1"><v>59</v></c><c r="F6">\
<v>0.30000000000000004</v></c><c r="G6"><v>6.1412345678E10</v></c><c r="I6" s="4"><v>12</v></c></row>
    <row r="7"><c r="C7"/></row>
    <row r="8"><c r="A8" t="inlineStr"><is><t>Cy</t></is></c><c r="B8" t="e"><v>#N/A</v></c></row>
    </sheetData><mergeCells count="2"><mergeCell ref="A1:H2"/><mergeCell ref="C5:D7"/></mergeCells>`
  const made = created(await send(workbook({ sheets: [{ name: 'People', xml }], strings: STRINGS, styles: STYLES }), '?file_name=p.xlsx'))
  expect(made).toMatchObject({
    file_name: 'p.xlsx',
    object: 'contacts',
    file: { type: 'xlsx', sheet: 'People', sheets: ['People'], has_header: true },
    progress: { total: 3 },
    preview: [{ line: 5 }, { line: 6 }, { line: 8, errors: [{ field: 'email', message: expect.stringContaining('#N/A') }] }],
  })
  const run = await act(made.id, 'start')
  expect(run).toMatchObject({ state: 'finished', progress: { created: 2, failed: 1 } })
  const [ana, bo] = found(await crm.ws.get('/contacts?sort=created_at&include=company'))
  expect(ana).toMatchObject({
    first_name: 'Zoë Ann',
    email: 'z@example.com',
    date_of_birth: '1980-02-29',
    relationship_started_at: '2024-06-30T23:30:00.000Z',
    postal_code: '0800',
    notes: 'two\r\nlines & more',
    is_primary: true,
  })
  expect(bo).toMatchObject({
    first_name: 'Bo',
    customer_id: ana?.customer_id,
    date_of_birth: '1900-02-28',
    postal_code: '0.3',
    notes: '61412345678',
    job_title: '12',
  })
  const [failed] = await rows(run.id, '&status=failed')
  expect(failed).toMatchObject({
    line: 8,
    errors: [{ column: 'Email', value: '#N/A' }],
    values: ['Cy', '#N/A', '', '', '', '', '', '', ''],
  })
  expect((await crm.ws.get(`/imports/${run.id}/failed`)).body).toContain('8,"Email: is #N/A')
})

test('a sheet is chosen by its name, or is the first one that is visible; its dates may count from 1904', async () => {
  const sheets = [
    { name: 'Secret', state: 'veryHidden', xml: textSheet([['First Name'], ['Eve']]) },
    {
      name: 'A &amp; B',
      xml:
        '<sheetData><row><c t="inlineStr"><is><t>Deal</t></is></c><c t="inlineStr"><is><t>Open date</t></is></c></row><row><c ' +
        't="inlineStr"><is><t>D</t></is></c><c s="1"><v>44012</v></c></row></sheetData>',
    },
    { name: 'Empty', xml: '<sheetData/>' },
  ]
  const file = workbook({ sheets, styles: STYLES, date1904: true })
  expect(created(await send(file))).toMatchObject({
    object: 'opportunities',
    file: { sheet: 'A & B', sheets: ['Secret', 'A & B', 'Empty'], preview: [['D', '2024-07-01']] },
  })
  expect(created(await send(file, '?sheet=secret'))).toMatchObject({ file: { sheet: 'Secret', preview: [['Eve']] } })
  expect(await send(file, '?sheet=Zork')).toMatchObject(refused('sheet'))
  expect(await send(file, '?sheet=Empty')).toMatchObject(refused('file'))
  expect(await upload('First Name\nAna\n', '?sheet=Secret')).toMatchObject(refused('sheet'))
})

const sheets = [{ name: 'S', xml: textSheet([['First Name'], ['Ana']]) }]
const replaced = (name: string, content: string | Uint8Array, more = {}) =>
  zip(parts({ sheets }).map((part) => (part.name === name ? { name, content, ...more } : part)))
const SHEET = 'xl/worksheets/sheet1.xml'
const row = (cells: string) => replaced(SHEET, `<worksheet><sheetData><row r="1">${cells}</row></sheetData></worksheet>`)

test.each<[string, () => Uint8Array, RegExp]>([
  ['a bomb that says its size', () => replaced(SHEET, 'x', { size: 600e6 }), /more than 512 MB/],
  ['a bomb that hides its size', () => replaced(SHEET, new Uint8Array(60e6), { size: 1000 }), /damaged/],
  ['a bomb of shared strings', () => replaced('xl/sharedStrings.xml', new Uint8Array(60e6)), /damaged/],
  [
    'more than 250,000 rows',
    () => replaced(SHEET, `<sheetData>${Array.from({ length: 260_000 }, (_, n) => `<row><c><v>${n}</v></c></row>`).join('')}`),
    /250,000/,
  ],
  [
    'more text than is kept',
    () =>
      replaced(
        'xl/sharedStrings.xml',
        `<sst>${Array.from({ length: 20 }, () => `<si><t>${randomBytes(450_000).toString('hex')}</t></si>`).join('')}`,
      ),
    /16 MB of different texts/,
  ],
  ['a document type', () => replaced('xl/workbook.xml', '<!DOCTYPE x [<!ENTITY a "b">]><workbook/>'), /damaged/],
  ['an unknown entity', () => row('<c t="str"><v>&abc;</v></c>'), /damaged/],
  ['a string that there is not', () => row('<c t="s"><v>7</v></c>'), /damaged/],
  ['no end', () => workbook({ sheets }).subarray(0, 900), /damaged/],
  ['a password', () => replaced(SHEET, '', { flags: 1 }), /password/],
  ['a formula without its result', () => row('<c r="B1"><f>A1</f></c>'), /first in B1/],
  ['too many columns', () => row('<c r="ZZ1"><v>1</v></c>'), /column ZZ/],
  ['another kind of document', () => zip([{ name: 'content.xml', content: '<a/>' }]), /another kind of document/],
  ['the old format', () => Uint8Array.from([0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1, 0, 0]), /XLSX without a password/],
])('a workbook with %s is refused, and not stored', async (_, file, message) => {
  const response = await send(file())
  expect(response).toMatchObject({
    status: 400,
    body: { error: { details: { issues: [{ path: 'file', message: expect.stringMatching(message) }] } } },
  })
  expect(await crm.count('imports')).toBe(0)
  const { objects } = await (await crm.app.files()).list({ prefix: `imports/${crm.ws.id}/` })
  expect(objects).toEqual([])
})

test('a large workbook is imported in batches, and resumes at the row where it stopped', async () => {
  const people = Array.from({ length: 450 }, (_, n) => [`P${n}`, `p${n}@example.com`, 'Acme'])
  const made = created(await send(workbook({ sheets: [{ name: 'S', xml: textSheet([['First Name', 'Email', 'Company'], ...people]) }] })))
  expect(made.progress.total).toBe(450)
  found(await crm.ws.post(`/imports/${made.id}/start`))
  const get = async () => found(await crm.ws.get(`/imports/${made.id}`))
  while ((await get()).progress.done === 0);
  await crm.ws.post(`/imports/${made.id}/cancel`)
  await crm.app.drain()
  const stopped = await get()
  const run = stopped.state === 'cancelled' ? await act(made.id, 'start') : stopped
  expect(run).toMatchObject({ state: 'finished', progress: { done: 450, created: 450, failed: 0 } })
  const lines: Row[] = await rows(run.id)
  expect(lines.map(({ line }) => line)).toEqual(people.map((_, n) => n + 2))
})
