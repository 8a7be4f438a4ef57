import { expect, test } from 'vitest'
import { csvRecord } from '../../src/domain/csv/write.ts'
import { LANGUAGES, NAMES } from '../import/consent-names.ts'
import { created, failed, found, type Row, useCrm } from './crm.ts'
import { useImports } from './importing.ts'

const crm = useCrm()
const { upload, act, rows } = useImports(crm)
const contacts = async () => (await crm.walk('/contacts?limit=100')) as Row[]

/** Of each language every ninth name, which meets each word and each spelling. */
const SAMPLE = Object.keys(LANGUAGES).flatMap((language) => {
  const names = new Map(NAMES.filter((one) => one.language === language).map((one) => [one.name.trim().toLowerCase(), one]))
  return [...names.values()].filter((_, n) => n % 9 === 4)
})

test('a column that says in whatever words who must not be contacted makes its people unreachable, without any setting', async () => {
  expect(SAMPLE.length).toBeGreaterThan(200)
  const header = csvRecord(['First Name', 'Email', ...SAMPLE.map(({ name }) => name)])
  const line = (n: number, answer: string) =>
    csvRecord([`Person ${n}`, `p${n}@example.com`, ...SAMPLE.map((_, at) => (at === n ? answer : ''))])
  const made = created(await upload(header + SAMPLE.map((_, n) => line(n, ['yes', 'TRUE', '1'][n % 3]!)).join('')))
  expect(made.unmapped_columns).toEqual([])
  const run = await act(made.id, 'start')
  expect(run.progress, JSON.stringify((await rows(run.id, '&status=failed')).slice(0, 3))).toMatchObject({
    created: SAMPLE.length,
    failed: 0,
  })
  const people = new Map((await contacts()).map((contact) => [contact.first_name, contact]))
  for (const [n, { name, fields }] of SAMPLE.entries())
    for (const field of fields) expect([name, field, people.get(`Person ${n}`)?.[field]]).toEqual([name, field, true])
})

test('a column whose values say it stops the import until it is decided, however late in the file', async () => {
  const plain = Array.from({ length: 400 }, (_, n) => csvRecord([`P${n}`, `p${n}@example.com`, ['red', 'blue'][n % 2]!, '']))
  const late = csvRecord(['Late', 'late@example.com', 'do not email', 'yes'])
  const { id, unmapped_columns } = created(await upload(csvRecord(['First Name', 'Email', 'Colour', 'Mailing']) + plain.join('') + late))
  expect(unmapped_columns).toEqual(['Colour', 'Mailing'])
  const answer = await crm.ws.post(`/imports/${id}/start`)
  expect(answer).toMatchObject(failed(400, 'VALIDATION_ERROR'))
  expect(answer.body.error.details.issues.map(({ message }: Row) => message)).toEqual([
    expect.stringContaining('"Colour"'),
    expect.stringContaining('"Mailing"'),
  ])
  expect(found(await crm.ws.patch(`/imports/${id}`, { ignored_columns: ['Colour', 'Mailing'] }))).toMatchObject({ unmapped_columns: [] })
  expect(await crm.ws.post(`/imports/${id}/start`)).toMatchObject({ status: 200 })
  await crm.app.drain()
})

test('for whom HubSpot bills is no refusal, and is listed as left out', async () => {
  const file =
    'Record ID,First Name,Last Name,Email,Marketing contact status,Contact owner\n7,Ada,Moreau,ada@example.com,Non-marketing contact,\n'
  const made = created(await upload(file))
  expect(made).toMatchObject({ file: { format: 'hubspot_contacts' }, unmapped_columns: ['Marketing contact status'] })
  await act(made.id, 'start')
  expect(await contacts()).toMatchObject([{ first_name: 'Ada', email_unsubscribed: false }])
})
