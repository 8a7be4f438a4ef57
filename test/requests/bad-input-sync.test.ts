import { expect, test } from 'vitest'
import { created, failed, found, type Row, refused, useCrm } from '../routes/crm.ts'
import { useImports } from '../routes/importing.ts'
import { parts, textSheet, workbook, zip } from '../routes/workbooks.ts'

const crm = useCrm()
const { upload, imported } = useImports(crm)

/** The first page's cursor of a list with several records. */
async function cursorOf(path: string, ws = crm.ws): Promise<string> {
  const { status, body } = await ws.get(path)
  expect([status, body.page?.next], path).toEqual([200, expect.any(String)])
  return body.page.next
}

test('a cursor is refused by every other list, sort, filter and search; that of another workspace is only a position', async () => {
  for (const first_name of ['Ana', 'Bo', 'Cy'])
    created(await crm.ws.post('/contacts', { first_name, last_name: 'Lee', email: `${first_name}@example.com` }))
  for (const name of ['A', 'B']) created(await crm.ws.post('/companies', { name }))
  const list = created(
    await crm.ws.post('/lists', { name: 'All', object: 'contacts', kind: 'live', filter: { field: 'last_name', op: 'eq', value: 'Lee' } }),
  ).id
  const search = await crm.ws.post('/contacts/search', { limit: 1 })
  const cursors = {
    '/contacts?limit=1': await cursorOf('/contacts?limit=1'),
    '/contacts?limit=1&sort=name': await cursorOf('/contacts?limit=1&sort=name'),
    '/contacts?limit=1&sort=-last_activity_at': await cursorOf('/contacts?limit=1&sort=-last_activity_at'),
    '/contacts?limit=1&search=lee': await cursorOf('/contacts?limit=1&search=lee'),
    '/contacts?limit=1&updated_after=2020-01-01T00:00:00Z': await cursorOf('/contacts?limit=1&updated_after=2020-01-01T00:00:00Z'),
    '/companies?limit=1': await cursorOf('/companies?limit=1'),
    [`/lists/${list}/members?limit=1`]: await cursorOf(`/lists/${list}/members?limit=1`),
    '/events?limit=1': await cursorOf('/events?limit=1'),
  }
  for (const [path, own] of Object.entries(cursors)) {
    for (const [other, cursor] of Object.entries({ ...cursors, search: search.body.page.next as string }))
      if (other !== path) expect(await crm.ws.get(`${path}&after=${cursor}`), `${other} in ${path}`).toMatchObject(refused('after'))
    expect((await crm.ws.get(`${path}&after=${own}`)).status, path).toBe(200)
    const changed = `${own.slice(0, -1)}${own.endsWith('A') ? 'B' : 'A'}`
    expect(await crm.ws.get(`${path}&after=${changed}`), path).toMatchObject(refused('after'))
  }
  const neighbour = await crm.app.workspace()
  created(await neighbour.post('/contacts', { first_name: 'Own' }))
  const { status, body } = await neighbour.get(`/contacts?limit=1&sort=name&after=${cursors['/contacts?limit=1&sort=name']}`)
  expect([status, body.data.map(({ first_name }: Row) => first_name)]).toEqual([200, ['Own']])
})

test('ten thousand ids are refused wherever ids are sent, with the most that there may be', async () => {
  const many = Array.from({ length: 10_000 }, () => crypto.randomUUID())
  const list = created(await crm.ws.post('/lists', { name: 'Few', object: 'contacts', kind: 'static' })).id
  const answers: [string, string, Row][] = [
    ['/contacts/bulk-delete', 'ids', { ids: many }],
    ['/contacts/bulk-update', 'records', { records: many.map((id) => ({ id, city: 'X' })) }],
    [`/lists/${list}/members`, 'ids', { ids: many }],
    ['/contacts/search', 'filter.value', { filter: { field: 'id', op: 'in', value: many } }],
    ['/contacts/merge', 'loser_ids', { winner_id: crypto.randomUUID(), loser_ids: many }],
  ]
  for (const [path, field, body] of answers) {
    const answer = await crm.ws.post(path, body)
    expect(answer, path).toMatchObject(refused(field))
    expect(answer.body.error.details.issues, path).toEqual([{ path: field, message: expect.stringMatching(/at most \d+/) }])
  }
  // More than 1 MB of them is too much, whatever they are.
  const records = many.map((contact_id) => ({ contact_id, customer_id: contact_id }))
  expect(await crm.ws.post('/contacts/bulk-link', { records })).toMatchObject(failed(413, 'PAYLOAD_TOO_LARGE'))
  expect(await crm.ws.get(`/contacts?ids=${many.slice(0, 1000)}`)).toMatchObject(refused('ids'))
})

const XLSM = 'application/vnd.ms-excel.sheet.macroEnabled.12'
const people = textSheet([
  ['First Name', 'Email'],
  ['Ana', 'ana@example.com'],
])

test('a workbook with macros is read as one without: they are neither run nor kept', async () => {
  const macros = { name: 'xl/vbaProject.bin', content: 'Sub Auto_Open(): Shell "calc": End Sub' }
  const file = zip([...parts({ sheets: [{ name: 'S', xml: people }] }), macros])
  const made = created(await upload(file, '?file_name=people.xlsm', crm.ws, { 'content-type': XLSM }))
  expect(made).toMatchObject({ file: { type: 'xlsx', sheet: 'S', preview: [['Ana', 'ana@example.com']] }, progress: { total: 1 } })
  const stored = await (await crm.app.files()).get(`imports/${crm.ws.id}/${made.id}`)
  expect(Buffer.from((await stored?.arrayBuffer()) as ArrayBuffer).includes('Auto_Open')).toBe(false)
})

const STYLES = '<cellXfs><xf numFmtId="0"/><xf numFmtId="14"/></cellXfs>'
/** What the dates of a workbook are in the first column of its preview. */
async function datesOf(serials: string[], date1904: boolean): Promise<string[]> {
  const rows = serials.map((serial) => `<row><c t="inlineStr"><is><t>Ana</t></is></c><c s="1"><v>${serial}</v></c></row>`)
  const xml =
    '<sheetData><row><c t="inlineStr"><is><t>First Name</t></is></c><c t="inlineStr"><is><t>Date of birth</t></is></c></row>' +
    `${rows.join('')}</sheetData>`
  const made = created(await upload(workbook({ sheets: [{ name: 'S', xml }], styles: STYLES, date1904 })))
  return made.file.preview.map(([, date]: string[]) => date)
}

test('dates are those that a spreadsheet program shows, in both date systems, and a number beyond them stays one', async () => {
  // In the system of 1900, day 60 is 29 February 1900, which there was not, so no import takes it for another day.
  expect(await datesOf(['1', '59', '60', '61', '29280', '45474.5', '2958465', '2958465.999', '2958466', '-1'], false)).toEqual([
    '1900-01-01',
    '1900-02-28',
    '1900-02-29',
    '1900-03-01',
    '1980-02-29',
    expect.stringMatching(/^2024-07-01/),
    '9999-12-31',
    '9999-12-31',
    expect.not.stringContaining('-'),
    '-1',
  ])
  expect(await datesOf(['0', '59', '60', '27818', '2957003', '2957004'], true)).toEqual([
    '1904-01-01',
    '1904-02-29',
    '1904-03-01',
    '1980-02-29',
    '9999-12-31',
    '2957004',
  ])
})

test('cards in quoted-printable are decoded, and what is wrongly encoded harms no other card', async () => {
  const card = (...lines: string[]) => ['BEGIN:VCARD', 'VERSION:2.1', ...lines, 'END:VCARD', ''].join('\r\n')
  const file = [
    card(
      'N;CHARSET=UTF-8;ENCODING=QUOTED-PRINTABLE:M=C3=BCller;Zo=C3=AB',
      'EMAIL:zoe@example.com',
      'NOTE;QUOTED-PRINTABLE:one=0D=0A=',
      'two',
    ),
    card('N;ENCODING=QUOTED-PRINTABLE;CHARSET=UTF-8:Lee =3B Sons;Bo', 'EMAIL:bo@example.com', 'NOTE;ENCODING=QUOTED-PRINTABLE:100=ZZ =4'),
    card('N;ENCODING=QUOTED-PRINTABLE;CHARSET=NO-SUCH-SET:Caf=E9;Cy', 'EMAIL:cy@example.com'),
    card('N;ENCODING=QUOTED-PRINTABLE:Last;Di=', 'END:VCARD'),
    card('N:Lee;Ed', 'EMAIL:ed@example.com'),
  ].join('')
  const run = await imported(file)
  expect(run).toMatchObject({ state: 'finished' })
  const byEmail = new Map(found(await crm.ws.get('/contacts?sort=created_at')).map((one: Row) => [one.email, one]))
  expect(byEmail.get('zoe@example.com')).toMatchObject({ first_name: 'Zoë', last_name: 'Müller', notes: 'one\r\ntwo' })
  expect(byEmail.get('bo@example.com')).toMatchObject({ first_name: 'Bo', last_name: 'Lee ; Sons', notes: '100=ZZ =4' })
  expect(byEmail.get('cy@example.com')).toMatchObject({ first_name: 'Cy', last_name: 'Café' })
  expect(byEmail.get('ed@example.com')).toMatchObject({ first_name: 'Ed', last_name: 'Lee' })
})
