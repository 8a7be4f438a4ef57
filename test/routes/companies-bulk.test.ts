import { expect, test } from 'vitest'
import { created, found, ids, nobody, type Row, refused, useCrm } from './crm.ts'
import { whileLocked } from './waiting.ts'

const crm = useCrm()

const company = async (fields: Row = {}) => created(await crm.ws.post('/companies', { name: 'Acme', ...fields })).id as string
const bulk = async (verb: string, records: unknown[]) => found(await crm.ws.post(`/companies/bulk-${verb}`, { records }))
const drop = async (...given: string[]) => found(await crm.ws.post('/companies/bulk-delete', { ids: given }))
const parentOf = async (id: string) => found(await crm.ws.get(`/companies/${id}`)).parent_company_id
/** By place, what was wrong: the code, and the fields it names. */
const faults = ({ errors }: Row) =>
  errors.map(({ index, error }: Row) => [index, error.code, ...(error.details?.issues ?? []).map(({ path }: Row) => path)])

test('bulk-create creates the valid records and reports each invalid one', async () => {
  const former = await crm.formerMember()
  const parent_company_id = await company({ external_id: 'taken' })
  const answer = await bulk('create', [
    { name: 'A', parent_company_id, assigned_to: crm.ws.userId, phone: '02 9374 4000', metadata: { a: 1 } },
    { name: '' },
    { name: 'C', parent_company_id: nobody, assigned_to: former },
    { name: 'D', phone: '1' },
    { name: 'E', external_id: 'taken' },
    { name: 'F', zork: 1 },
    'G',
    { name: 'H' },
  ])
  expect(answer.results).toMatchObject([
    { name: 'A', parent_company_id, phone: '+61293744000', metadata: { a: 1 }, version: 1 },
    { name: 'H', metadata: {}, archived: false },
  ])
  expect(faults(answer)).toEqual([
    [1, 'VALIDATION_ERROR', 'name'],
    [2, 'VALIDATION_ERROR', 'assigned_to', 'parent_company_id'],
    [3, 'VALIDATION_ERROR', 'phone'],
    [4, 'CONFLICT'],
    [5, 'VALIDATION_ERROR', 'zork'],
    [6, 'VALIDATION_ERROR', ''],
  ])
  expect(await crm.count('companies')).toBe(3)
})

test('bulk-update changes the fields that each record sends, and archives', async () => {
  const [one, two] = [await company({ country: 'New Zealand', metadata: { a: 1 } }), await company({ industry: 'Retail' })]
  const { results, errors } = await bulk('update', [
    { id: one, phone: '09 377 1234', metadata: { b: 2 } },
    { id: two, archived: true },
  ])
  expect(errors).toEqual([])
  expect(results).toMatchObject([
    { id: one, phone: '+6493771234', metadata: { a: 1, b: 2 }, version: 2 },
    { id: two, archived: true, industry: 'Retail', version: 2 },
  ])
})

test('bulk-update reports each invalid record and leaves it unchanged', async () => {
  const foreign = created(await (await crm.app.workspace()).post('/companies', { name: 'Theirs' })).id
  const [one, two, three, four, five] = [
    await company({ external_id: 'x' }),
    await company(),
    await company(),
    await company(),
    await company(),
  ]
  const answer = await bulk('update', [
    { id: nobody, name: 'N' },
    { id: foreign, name: 'N' },
    { id: two, name: 'N', external_id: 'x' },
    { id: three, name: 'N', parent_company_id: three },
    { id: four, name: 'N', parent_company_id: foreign },
    { id: five, name: 'N', assigned_to: nobody },
    { id: five, name: 'again' },
    { id: one, name: 'Good', external_id: 'y' },
  ])
  expect(faults(answer)).toEqual([
    [0, 'NOT_FOUND'],
    [1, 'NOT_FOUND'],
    [2, 'CONFLICT'],
    [3, 'VALIDATION_ERROR', 'parent_company_id'],
    [4, 'VALIDATION_ERROR', 'parent_company_id'],
    [5, 'VALIDATION_ERROR', 'assigned_to'],
    [6, 'VALIDATION_ERROR', 'id'],
  ])
  expect(answer.results).toMatchObject([{ id: one, name: 'Good', external_id: 'y' }])
  for (const id of [two, three, four, five]) expect(found(await crm.ws.get(`/companies/${id}`))).toMatchObject({ name: 'Acme', version: 1 })
})

test('two records of a call cannot share an external_id: the first has it', async () => {
  const [one, two] = [await company(), await company()]
  const answer = await bulk('update', [
    { id: one, external_id: 'x' },
    { id: two, external_id: 'x' },
  ])
  expect([ids(answer.results), faults(answer)]).toEqual([[one], [[1, 'CONFLICT']]])
})

test('no call creates a cycle, neither by itself nor with existing companies', async () => {
  const [a, b, c, d] = [await company(), await company(), await company(), await company()]
  const mutual = await bulk('update', [
    { id: a, parent_company_id: b },
    { id: b, parent_company_id: a },
    { id: c, parent_company_id: d },
  ])
  expect([ids(mutual.results), faults(mutual).map(([index]: number[]) => index)]).toEqual([[c], [0, 1]])
  const second = await bulk('update', [
    { id: d, parent_company_id: c },
    { id: c, parent_company_id: a },
  ])
  expect(
    second.results.map(({ id }: Row) => id),
    'c leaves, but d would depend on that',
  ).toEqual([c])
  expect(faults(second)).toEqual([[0, 'VALIDATION_ERROR', 'parent_company_id']])
  expect([await parentOf(c), await parentOf(d)]).toEqual([a, null])
})

test('bulk calls that move companies under one another at once make no circle', async () => {
  for (let round = 0; round < 5; round++) {
    const [a, b] = [await company(), await company()]
    const answers = await Promise.all([
      bulk('update', [{ id: a, parent_company_id: b }]),
      bulk('update', [{ id: b, parent_company_id: a }]),
    ])
    expect(answers.flatMap(({ results }) => results)).toHaveLength(1)
    expect([await parentOf(a), await parentOf(b)]).toContain(null)
  }
})

test('bulk-delete leaves those that others refer to', async () => {
  const [free, sold, above, foreign] = [
    await company(),
    await company(),
    await company(),
    created(await (await crm.app.workspace()).post('/companies', { name: 'Theirs' })).id,
  ]
  await crm.opportunity({ customer_id: sold })
  await company({ parent_company_id: above })
  const answer = await drop(sold, free, above, nobody, foreign, free)
  expect(answer.results).toEqual([{ id: free, deleted: true }])
  expect(answer.errors.map(({ id, error }: Row) => [id, error.code])).toEqual([
    [sold, 'CONFLICT'],
    [above, 'CONFLICT'],
    [nobody, 'NOT_FOUND'],
    [foreign, 'NOT_FOUND'],
  ])
  expect(answer.skipped).toMatchObject([{ index: 5, id: free }])
  expect((await crm.events(free)).at(-1)).toMatchObject({ type: 'company.deleted' })
})

test('a company that gets a subsidiary just then stays, and stops no other', async () => {
  const [one, two] = [await company(), await company()]
  const child: [string, unknown[]] = [
    "insert into companies (workspace_id, name, parent_company_id) values ($1, 'Child', $2)",
    [crm.ws.id, one],
  ]
  const [answer] = await whileLocked(crm, [child], [() => drop(one, two)])
  expect([ids(answer!.results), faults(answer!)]).toEqual([[two], [[0, 'CONFLICT']]])
})

test('a company can only be deleted together with its subsidiaries', async () => {
  const top = await company()
  const middle = await company({ parent_company_id: top })
  const bottom = await company({ parent_company_id: middle })
  const deal = await crm.opportunity({ customer_id: bottom })
  expect(faults(await drop(top, middle, bottom)).map(([index]: number[]) => index)).toEqual([0, 1, 2])
  found(await crm.ws.delete(`/opportunities/${deal.id}`))
  expect(faults(await drop(top, middle))).toEqual([
    [0, 'CONFLICT'],
    [1, 'CONFLICT'],
  ])
  expect(ids((await drop(top, middle, bottom)).results)).toEqual([top, middle, bottom])
})

test('one call has 1 to 100 records', async () => {
  const records = Array.from({ length: 101 }, () => ({ name: 'X' }))
  expect(await crm.ws.post('/companies/bulk-create', { records })).toMatchObject(refused('records'))
  expect(await crm.ws.post('/companies/bulk-create', { records: [] })).toMatchObject(refused('records'))
  expect(await crm.ws.post('/companies/bulk-delete', { ids: Array.from({ length: 101 }, () => nobody) })).toMatchObject(refused('ids'))
  const { results } = await bulk('create', records.slice(1))
  expect(results).toHaveLength(100)
  const statements: number[] = []
  crm.app.proxy.onRequest = (request) => {
    if ('queries' in request && /begin_request/.test(request.queries[0]!.query)) statements.push(request.queries.length)
  }
  const patches = results.map(({ id }: Row, at: number) => ({
    id,
    external_id: `x-${at}`,
    parent_company_id: at === 0 ? null : results[0].id,
  }))
  expect(ids((await bulk('update', patches)).results)).toHaveLength(100)
  expect(statements, 'one trip, whose statements are few however many records').toEqual([6])
  expect(ids((await drop(...ids(results))).results)).toHaveLength(100)
})
