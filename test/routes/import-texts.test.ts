import { describe, expect, test } from 'vitest'
import { csvRecord } from '../../src/domain/csv/write.ts'
import { FIELDS } from '../../src/features/imports/rules/fields.ts'
import { FORMATS } from '../../src/features/imports/rules/formats/index.ts'
import { limit } from '../speed.ts'
import { created, found, type Row, useCrm } from './crm.ts'
import { useImports } from './importing.ts'

const crm = useCrm()
const { upload, uploaded, act, rows, imported } = useImports(crm)

const TEXTS = ['text', 'web_address', 'full_name', 'tags', 'list']
/** A currency that nobody knows would be an amount in another one, and nothing stands for the name of a company or a deal. */
const isText = ({ field, what, object }: { field: string; what: string; object: string }) =>
  field !== 'currency' && !(what === 'empty' && field === 'name' && object !== 'contacts')
/** What a cell may have, and whether it is stored as it is. */
const ODD = { break: 'Hunter St\nBlock B', long: 'a'.repeat(300), empty: '', quote: 'The "old" 5" mill' }
const UNIQUE = ['external_id', 'email', 'name', 'sku', 'first_name']
const plain = (field: string | undefined, n: number) =>
  field === 'email' ? `p${n}@example.com` : field && UNIQUE.includes(field) ? `Plain ${field} ${n}` : ''

describe.each(FORMATS.filter(({ name }) => name !== 'vcard'))('$name', ({ name, object, columns, all }) => {
  test('a text that the CRM cannot store as it is costs no record, and a warning names its column', {
    timeout: limit(60_000),
  }, async () => {
    const names = [
      ...new Set([...all, ...Object.keys(columns).map((column) => column.replace('#', '1').replace(/:?\*$/, ''))].map((one) => one)),
    ]
    const header = names.filter((one, n) => names.findIndex((other) => other.toLowerCase() === one.toLowerCase()) === n)
    const file_name = name === 'mailchimp_unsubscribed' ? 'unsubscribed_members.csv' : 'file.csv'
    const { mapping, file } = created(await upload(csvRecord(header) + csvRecord(header.map((_, n) => `v${n}`)), `?file_name=${file_name}`))
    expect(file.format).toBe(name)
    const fieldOf = new Map<string, string>(mapping.map(({ column, field }: Row) => [column, field]))
    const kindOf = (field: string) => FIELDS[object].find((one) => one.name === field)?.kind as string
    const texts = [...fieldOf].filter(([, field]) => TEXTS.includes(kindOf(field)) || field === 'company')
    expect(texts.length).toBeGreaterThan(0)
    const cases = texts
      .flatMap(([column, field]) => Object.entries(ODD).map(([what, value]) => ({ column, field, what, value, object })))
      .filter(isText)
    const lines = cases.map(({ column, value }, n) => csvRecord(header.map((one) => (one === column ? value : plain(fieldOf.get(one), n)))))
    const { id } = created(await upload(csvRecord(header) + lines.join(''), `?file_name=${file_name}`))
    const run = await act(id, 'start')
    const report = await rows(id)
    expect(report.filter(({ status }) => status === 'failed').map(({ line, errors }) => [cases.at(line), errors])).toEqual([])
    expect(run.progress.created + run.progress.updated).toBe(report.length)
    const byRecord = new Map(report.map((row) => [row.record_id, row]))
    const warned = [...byRecord.values()].flatMap(({ warnings }) => warnings.map(({ column }: Row) => column))
    for (const { column, field, what } of cases) {
      if (what === 'long' || (what === 'break' && kindOf(field) !== 'full_name'))
        expect([column, what, warned]).toEqual([column, what, expect.arrayContaining([column])])
    }
  })
})

test('what is stored of an odd text is all of it, in another form, or its beginning', async () => {
  const file = `First Name,Last Name,Street Address,Address 2,Job Title,Company,Time Zone,Tags
Ana,Lee,"1 Hunter St
Level 2
Block B",,"Head of
Sales","Acme
Ltd",Australia/Perth,VIP
Bo,Berg,"2 Hunter St
Level 3",Door 4,"The ""old"" mill",${'c'.repeat(300)},Middle Earth,"""Trade, fair"",VIP"
`
  const run = await imported(file)
  expect(run.progress).toMatchObject({ created: 2, failed: 0, warned: 2 })
  const [ana, bo] = found(await crm.ws.get('/contacts?sort=created_at'))
  expect(ana).toMatchObject({
    address_line1: '1 Hunter St',
    address_line2: 'Level 2, Block B',
    job_title: 'Head of Sales',
    timezone: 'Australia/Perth',
  })
  expect(bo).toMatchObject({ address_line1: '2 Hunter St, Level 3', address_line2: 'Door 4', job_title: 'The "old" mill', timezone: null })
  expect((await rows(run.id)).map(({ warnings }) => warnings.map(({ column, message }: Row) => [column, message]))).toEqual([
    [
      ['Street Address', 'The lines after "1 Hunter St" are saved as address_line2'],
      ['Job Title', '2 lines are saved as one: "Head of Sales"'],
      ['Company', '2 lines are saved as one: "Acme Ltd"'],
    ],
    [
      ['Street Address', '2 lines are saved as one: "2 Hunter St, Level 3"'],
      ['Company', 'Only the first 200 of 300 characters are saved'],
      ['Time Zone', expect.stringContaining('"Middle Earth" is not saved')],
    ],
  ])
})

test('a text of a custom field that is too long is cut, and a web address needs no https://', async () => {
  const fields = { motto: 'text', story: 'long_text', profile: 'url' }
  for (const [key, type] of Object.entries(fields))
    created(await crm.ws.post('/custom-fields', { object: 'contact', key, label: key, type }))
  const run = await imported(
    `First Name,motto,story,profile\nAna,${'m'.repeat(600)},${'s'.repeat(20_001)},acme.example/ana\nBo,m,s,https://b.example\n`,
  )
  expect(run.progress).toMatchObject({ created: 2, failed: 0, warned: 1 })
  const [ana, bo] = found(await crm.ws.get('/contacts?sort=created_at'))
  expect(ana?.metadata).toEqual({ motto: 'm'.repeat(500), story: 's'.repeat(20_000), profile: 'https://acme.example/ana' })
  expect(bo?.metadata).toEqual({ motto: 'm', story: 's', profile: 'https://b.example' })
  expect((await rows(run.id))[0]?.warnings.map(({ column, message }: Row) => [column, message])).toEqual([
    ['motto', 'Only the first 500 of 600 characters are saved'],
    ['story', 'Only the first 20000 of 20001 characters are saved'],
  ])
})

test('a company that a line names twice is one, in whatever form, and another one is not saved', async () => {
  const mapping = ['First Name', 'Company', 'Firm'].map((column, n) => ({ column, field: n === 0 ? 'first_name' : 'company' }))
  const made = await uploaded('First Name,Company,Firm\nAna,Twice,TWICE \nBo,Twice,Other\n', { mapping })
  const run = await act(made.id, 'start')
  expect(run.progress).toMatchObject({ created: 2, failed: 0, warned: 1 })
  expect((await rows(run.id)).flatMap(({ line, warnings }) => warnings.map(({ column, message }: Row) => [line, column, message]))).toEqual(
    [[3, 'Firm', expect.stringContaining('"Other" is not saved')]],
  )
  expect(found(await crm.ws.get('/companies?search=Twice')).map(({ name }: Row) => name)).toEqual(['Twice'])
})

describe('a person without a first name', () => {
  const people = async () =>
    found(await crm.ws.get('/contacts?sort=created_at')).map(({ first_name, last_name, version: _ }) => [first_name, last_name])

  test('has the last name, the company, the address or the number for it, until a later import or an edit brings one', async () => {
    const file = (...names: string[]) =>
      `First Name,Last Name,Company,Email,Phone\n${names[0] ?? ''},Lee,Acme,ana@example.com,\n,,Acme ` +
      'Ltd,bo@example.com,\n,,,cy.berg@example.com,\n,,,,0412 345 678\n,,,,\n'
    const run = await imported(file())
    expect(run.progress).toMatchObject({ created: 4, warned: 4, failed: 0 })
    expect(await people()).toEqual([
      ['Lee', 'Lee'],
      ['Acme Ltd', null],
      ['cy.berg', null],
      ['0412 345 678', null],
    ])
    expect((await rows(run.id))[0]?.warnings).toMatchObject([
      { field: 'first_name', message: expect.stringContaining('no first name: the last name "Lee"') },
    ])
    // Neither of these brings a first name for the others.
    await imported(file('Ana'))
    expect((await people())[0]).toEqual(['Ana', 'Lee'])
    expect((await people()).slice(1)).toEqual([
      ['Acme Ltd', null],
      ['cy.berg', null],
      ['0412 345 678', null],
    ])
  })

  test('takes the real first name of another one when they are merged, and not the other way round', async () => {
    await imported('Last Name,Email\nLee,ana@example.com\nKim,bo@example.com\nRay,cy@example.com\n')
    const [lee, kim, ray] = found(await crm.ws.get('/contacts?sort=created_at')) as [Row, Row, Row]
    const real = await crm.contact({ first_name: 'Ana', email: 'real@example.com' })
    found(await crm.ws.post('/contacts/merge', { winner_id: lee.id, loser_ids: [kim.id, real.id] }))
    expect(found(await crm.ws.get(`/contacts/${lee.id}`))).toMatchObject({ first_name: 'Ana', last_name: 'Lee' })
    found(await crm.ws.patch(`/contacts/${ray.id}`, { first_name: 'Cy' }))
    found(await crm.ws.post('/contacts/merge', { winner_id: ray.id, loser_ids: [lee.id] }))
    expect(found(await crm.ws.get(`/contacts/${ray.id}`))).toMatchObject({ first_name: 'Cy', last_name: 'Ray' })
    expect(JSON.stringify(found(await crm.ws.get(`/contacts/${ray.id}`)))).not.toContain('derived')
  })
})
