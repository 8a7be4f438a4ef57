import { describe, expect, test } from 'vitest'
import { created, failed, found, type Row, refused, useCrm } from './crm.ts'
import { useImports } from './importing.ts'

const crm = useCrm()
const { upload, uploaded, imported, act, rows } = useImports(crm)
const contacts = async () => found(await crm.ws.get('/contacts?sort=created_at'))

describe('an upload', () => {
  test('in Windows-1252, with semicolons and no header, is read as it is meant', async () => {
    const bytes = Uint8Array.from(
      [...'Zoë;Müller;zoe@example.com\r\nAndré;Żak;andre@example.com\r\n'.replace('Ż', 'Z')].map((char) => char.charCodeAt(0)),
    )
    const made = created(await upload(bytes, '?file_name=people.txt&object=contacts'))
    expect(made).toMatchObject({
      file_name: 'people.txt.csv',
      file: { encoding: 'windows-1252', delimiter: ';', has_header: false },
      progress: { total: 2 },
    })
    expect(made.file.columns.map(({ name }: Row) => name)).toEqual(['Column 1', 'Column 2', 'Column 3'])
    const mapping = [
      ['Column 1', 'first_name'],
      ['Column 2', 'last_name'],
      ['Column 3', 'email'],
    ].map(([column, field]) => ({ column, field }))
    await crm.ws.patch(`/imports/${made.id}`, { mapping })
    await act(made.id, 'start')
    expect((await contacts()).map(({ first_name, last_name }) => `${first_name} ${last_name}`)).toEqual(['Zoë Müller', 'André Zak'])
  })

  test('is refused where it is none, too large, or of another type', async () => {
    const headers = { authorization: `Bearer ${crm.ws.apiKey}` }
    const send = (body: string | Uint8Array | undefined, type?: string) =>
      crm.app.fetch('/v1/imports', { method: 'POST', headers: { ...headers, ...(type && { 'content-type': type }) }, body: body as never })
    expect((await send('{}', 'application/json')).status).toBe(415)
    expect((await send('', 'text/csv')).status).toBe(400)
    expect((await send(undefined)).status).toBe(400)
    expect((await send(new Uint8Array(25 * 1024 * 1024 + 1), 'text/csv')).status).toBe(413)
    expect(await crm.count('imports')).toBe(0)
    expect(await upload('a\n1\n', '?object=zork')).toMatchObject(refused('object'))
  })

  test('with an Idempotency-Key is one import, however often it is sent', async () => {
    const send = (content: string) => upload(content, '', crm.ws, { 'idempotency-key': 'once' })
    const first = created(await send('Name\nAna\n'))
    expect(created(await send('Name\nAna\n')).id).toBe(first.id)
    expect(await send('Name\nBo\n')).toMatchObject(failed(422, 'IDEMPOTENCY_KEY_REUSED'))
    expect(await crm.count('imports')).toBe(1)
  })
})

describe('settings', () => {
  test('that make no sense are refused by name', async () => {
    const { id } = await uploaded('First Name,Email\nAna,a@example.com\n')
    const patch = (body: unknown) => crm.ws.patch(`/imports/${id}`, body)
    expect(await patch({ mapping: [{ column: 'Zork', field: 'first_name' }] })).toMatchObject(refused('mapping.0.column'))
    expect(await patch({ mapping: [{ column: 'Email', field: 'zork' }] })).toMatchObject(refused('mapping.0.field'))
    const twice = [
      { column: 'Email', field: 'last_name' },
      { column: 'First Name', field: 'last_name' },
    ]
    expect(await patch({ mapping: twice })).toMatchObject(refused('mapping.1.field'))
    expect(await patch({ match_by: 'name' })).toMatchObject(refused('match_by'))
    expect(await patch({ defaults: { zork: 'x' } })).toMatchObject(refused('defaults.zork'))
    expect(await patch({ mapping: [{ column: 'Email', field: 'notes' }] })).toMatchObject({ status: 200 })
    for (const action of ['check', 'start']) expect(await crm.ws.post(`/imports/${id}/${action}`)).toMatchObject(refused('mapping'))
    await patch({ mode: 'update', match_by: null })
    expect(await crm.ws.post(`/imports/${id}/start`)).toMatchObject(refused('match_by'))
    expect(await crm.ws.patch(`/imports/${id}`, { country: 'x' }, { 'if-match': '"1"' })).toMatchObject(failed(412, 'PRECONDITION_FAILED'))
  })

  test('of another object bring its suggested mapping', async () => {
    const { id } = await uploaded('Company,Email\nAcme,info@example.com\n')
    expect(found(await crm.ws.patch(`/imports/${id}`, { object: 'contacts' }))).toMatchObject({
      mapping: [{ field: 'company' }, { field: 'email' }],
    })
    expect(found(await crm.ws.patch(`/imports/${id}`, { object: 'companies' }))).toMatchObject({
      mapping: [{ field: 'name' }, { field: 'email' }],
    })
  })

  test('decide what happens to records that are there already, or are not', async () => {
    const file = 'Email,First Name\nold@example.com,Renamed\nnew@example.com,New\n'
    const old = await crm.contact({ first_name: 'Old', email: 'old@example.com' })
    const statuses = async (mode: string) => {
      const run = await imported(file, { mode, match_by: 'email' })
      return (await rows(run.id)).map(({ status, record_id }) => (record_id === old.id ? `${status} old` : status))
    }
    expect(await statuses('update')).toEqual(['updated old', 'skipped'])
    expect(await statuses('create')).toEqual(['skipped old', 'created'])
    expect((await statuses('upsert')).slice(0, 1)).toEqual(['updated old'])
    await crm.contact({ first_name: 'Twin', email: 'old@example.com' })
    const run = await imported(file, { mode: 'upsert', match_by: 'email' })
    expect((await rows(run.id))[0]).toMatchObject({
      status: 'failed',
      errors: [{ field: 'email', column: 'Email', message: expect.stringContaining('Several contacts') }],
    })
  })

  test('a line repeated in the file updates the record that the first one made', async () => {
    const run = await imported('Phone,First Name,Notes\n0412 345 678,Ana,one\n+61412345678,Ana,two\n', {
      mode: 'upsert',
      match_by: 'phone',
    })
    expect(run.progress).toMatchObject({ created: 1, updated: 1 })
    expect(await contacts()).toMatchObject([{ phone: '+61412345678', notes: 'two' }])
  })

  test('give what a line leaves out: defaults, a country, or nothing at all', async () => {
    await crm.leadSource('Trade fair')
    const [source] = found(await crm.ws.get('/lead-sources'))
    const ana = await crm.contact({ first_name: 'Ana', email: 'a@example.com', notes: 'Keep', job_title: 'Chief' })
    const file = 'Email,First Name,Phone,Notes,Job title\na@example.com,,,,\nb@example.com,Bo,09 373 7999,,Clerk\n'
    const settings = {
      mode: 'upsert',
      match_by: 'email',
      country: 'New Zealand',
      defaults: { lead_source: 'trade fair', contact_type: 'Press', job_title: 'None' },
    }
    await imported(file, settings)
    expect(await contacts()).toMatchObject([
      { id: ana.id, notes: 'Keep', job_title: 'Chief', contact_type: null, source_id: null, country: 'Australia' },
      { first_name: 'Bo', phone: '+6493737999', country: 'New Zealand', contact_type: 'Press', source_id: source?.id, job_title: 'Clerk' },
    ])
    await imported(file, { ...settings, clear_empty: true })
    expect((await contacts())[0]).toMatchObject({ first_name: 'Ana', email: 'a@example.com', notes: null, job_title: null })
  })

  test('clear numbers and options too, where a record can be without them', async () => {
    const acme = created(await crm.ws.post('/companies', { name: 'Acme', annual_revenue: 5, employee_count: 3 }))
    const desk = created(await crm.ws.post('/products', { name: 'Desk', sku: 'D', price: 80, cost: 40, tax_percent: 10 }))
    const settings = { mode: 'update', clear_empty: true }
    expect((await imported('Company name,Annual revenue,Employees\nAcme,,4\n', settings)).progress).toMatchObject({ updated: 1 })
    expect((await imported('SKU,Unit price,Unit cost,Tax rate\nD,,,\n', settings)).progress).toMatchObject({ updated: 1 })
    expect(found(await crm.ws.get(`/companies/${acme.id}`))).toMatchObject({ annual_revenue: null, employee_count: 4 })
    expect(found(await crm.ws.get(`/products/${desk.id}`))).toMatchObject({ price: 80, cost: null, tax_percent: 10 })
  })

  test('have times of the workspace where they have no offset, in the preview and in the records', async () => {
    await crm.app.owner.query(`update workspaces set timezone = 'America/New_York' where id = $1`, [crm.ws.id])
    const file = 'Name,Stage,Open date\nRoof,Won,2025-07-01 14:30\nWall,Won,2025-07-01 14:30 +02:00\n'
    // Neither does the zone of a new contact keep the file from being read once only.
    expect(await uploaded('First name,Email\nAna,ana@example.com\n')).toMatchObject({ object: 'contacts', progress: { total: 1 } })
    const made = await uploaded(file)
    const opened = [{ value: '2025-07-01T18:30:00.000Z' }, { value: '2025-07-01T12:30:00.000Z' }]
    expect(made.preview.map(({ cells }: Row) => cells.find(({ column }: Row) => column === 'Open date'))).toMatchObject(opened)
    const changed = found(await crm.ws.patch(`/imports/${made.id}`, { date_format: 'ymd' }))
    expect(changed.preview).toEqual(made.preview)
    await act(made.id, 'start')
    const records = found(await crm.ws.get('/opportunities?sort=created_at'))
    expect(records.map(({ opened_at }: Row) => ({ value: opened_at }))).toEqual(opened)
  })

  test('have the month first where a date proves it, also one with a time of twelve hours', async () => {
    created(await crm.ws.post('/custom-fields', { object: 'opportunity', key: 'signed', label: 'Signed', type: 'date' }))
    const file = 'Name,Stage,Open date,Close date,Signed\nRoof,Won,"3/31/2025, 2:30 PM",4/1/2025 12:05 AM,3/30/2025 09:00 AM\n'
    const run = await imported(file)
    expect(run).toMatchObject({ object: 'opportunities', date_format: 'mdy', progress: { created: 1, failed: 0 } })
    expect(found(await crm.ws.get('/opportunities'))).toMatchObject([
      { opened_at: '2025-03-31T03:30:00.000Z', closed_at: '2025-04-01T00:00:00.000Z', metadata: { signed: '2025-03-30' } },
    ])
  })

  test('have the order of day and month from a date that proves it, however late in the file', async () => {
    const early = Array.from({ length: 30 }, (_, n) => `Deal ${n},${1 + (n % 9)}/${1 + (n % 7)}/2025\n`)
    const file = `Name,Open date\n${early.join('')}Last,1/31/2025\n`
    const { id, date_format } = await uploaded(file)
    expect(date_format).toBe('mdy')
    expect((await act(id, 'start')).progress).toMatchObject({ created: 31, failed: 0 })
    expect(found(await crm.ws.get('/opportunities?search=Last'))).toMatchObject([{ opened_at: '2025-01-31T00:00:00.000Z' }])
  })

  test('map custom fields, whole names, owners by their address, and stages by their names', async () => {
    await crm.ws.post('/custom-fields', { object: 'opportunity', key: 'score', label: 'Deal score', type: 'number' })
    await crm.ws.post('/custom-fields', {
      object: 'opportunity',
      key: 'region',
      label: 'Region',
      type: 'select',
      options: ['North', 'South'],
    })
    const company = await crm.company('Acme')
    const { stages } = await crm.firstPipeline()
    const { rows: users } = await crm.app.owner.query('select email from users where id = $1', [crm.ws.userId])
    const file =
      `Deal,Amount,Account,Owner,Stage,Close date,Deal score,Region\nOne,"$1,054.00",ACME,${users[0].email.toUpperCase()},won,` +
      '2017-03-01,7,north\nTwo,x,Acme,nobody@example.com,Zork,,many,West\n'
    const run = await imported(file, { unknown_owners: 'fail' })
    expect(run).toMatchObject({ object: 'opportunities', progress: { created: 1, failed: 1 } })
    expect(found(await crm.ws.get('/opportunities'))).toMatchObject([
      {
        name: 'One',
        value: 1054,
        customer_id: company,
        assigned_to: crm.ws.userId,
        stage_id: stages.Won,
        status: 'won',
        closed_at: '2017-03-01T00:00:00.000Z',
        metadata: { score: 7, region: 'North' },
      },
    ])
    const [, bad] = await rows(run.id)
    expect(bad?.errors.map(({ field }: Row) => field)).toEqual(['value', 'metadata.score', 'owner', 'stage'])
    await imported('Full name,Email\nAna Maria Lee,x@example.com\nCher,y@example.com\n')
    expect(await contacts()).toMatchObject([
      { first_name: 'Ana Maria', last_name: 'Lee' },
      { first_name: 'Cher', last_name: null },
    ])
  })

  test('custom values are checked by their own rules: options, required and unique ones', async () => {
    await crm.ws.post('/custom-fields', { object: 'contact', key: 'code', label: 'Code', type: 'text', unique: true, required: true })
    const run = await imported('First Name,Code\nAna,1\nBo,1\nCy,\nDi,2\n')
    expect(run.progress).toMatchObject({ created: 2, failed: 2 })
    expect((await rows(run.id, '&status=failed')).map(({ line, errors }) => [line, errors[0].field, errors[0].column])).toEqual([
      [3, 'metadata.code', 'Code'],
      [4, 'metadata.code', 'Code'],
    ])
  })
})
